import NIOCore
import NIOPosix

/// A code that is to be mailed.
struct Mail: Sendable {
    var id: [UInt8]
    var recipient: [UInt8]
    var code: [UInt8]
    var isSignUp: Bool
}

/// The server's mail of a code, with everything but the values written once.
struct MailForm: Sendable {
    private enum Part: Sendable {
        case fixed([UInt8])
        case date, recipient, id, code
    }

    private let parts: [Part]

    init(isSignUp: Bool) {
        let sentence =
            isSignUp
            ? "Use this code to create your account at Contoso."
            : "Use this code to sign in to your account at Contoso."
        let text = Self.text.replacing("{sentence}", with: sentence).replacing("\n", with: "\r\n")
        var parts: [Part] = []
        for piece in text.split(separator: "{", omittingEmptySubsequences: false) {
            guard !parts.isEmpty, let end = piece.firstIndex(of: "}") else {
                parts.append(.fixed(Array(piece.utf8)))
                continue
            }
            switch piece[..<end] {
            case "date": parts.append(.date)
            case "recipient": parts.append(.recipient)
            case "id": parts.append(.id)
            case _: parts.append(.code)
            }
            parts.append(.fixed(Array(piece[piece.index(after: end)...].utf8)))
        }
        self.parts = parts
    }

    func write(_ mail: Mail, date: [UInt8], to buffer: inout ByteBuffer) {
        let id = Text.uuid(mail.id)
        for part in parts {
            switch part {
            case .fixed(let bytes): buffer.writeBytes(bytes)
            case .date: buffer.writeBytes(date)
            case .recipient: buffer.writeBytes(mail.recipient)
            case .id: buffer.writeBytes(id)
            case .code: buffer.writeBytes(mail.code)
            }
        }
    }

    private static let text = #"""
        Date: {date}
        From: "Contoso"
         <no-reply@contoso.onmicrosoft.com>
        To: <{recipient}>
        Message-ID: <{id}@contoso.onmicrosoft.com>
        Subject: Your verification code for Contoso
        Auto-Submitted: auto-generated
        X-Auto-Response-Suppress: All
        Content-Language: en
        MIME-Version: 1.0
        Content-Type: multipart/alternative; boundary="=_{id}"

        --=_{id}
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: quoted-printable

        Contoso

        {sentence}

        Your code:

        {code}

        It is valid for 10 minutes.
        Do not share this code with anyone. Contoso will never ask you for it.

        If you did not ask for this code, you can ignore this message.

        --=_{id}
        Content-Type: text/html; charset=utf-8
        Content-Transfer-Encoding: quoted-printable

        <!DOCTYPE html>
        <html lang=3D"en" dir=3D"ltr">
        <head>
        <meta charset=3D"utf-8">
        <meta name=3D"viewport" content=3D"width=3Ddevice-width, initial-scale=3D1"=
        >
        <meta name=3D"color-scheme" content=3D"light dark">
        <title>Your verification code for Contoso</title>
        </head>
        <body style=3D"margin:0;padding:0;background:#f3f4f6;">
        <table role=3D"presentation" width=3D"100%" cellpadding=3D"0" cellspacing=
        =3D"0" style=3D"background:#f3f4f6;">
        <tr><td align=3D"center" style=3D"padding:32px 16px;">
        <table role=3D"presentation" width=3D"100%" cellpadding=3D"0" cellspacing=
        =3D"0" style=3D"max-width:480px;background:#ffffff;border:1px solid #e5e7eb=
        ;border-radius:12px;font-family:-apple-system,'Segoe UI',Roboto,'Hiragino S=
        ans','Noto Sans JP',Helvetica,Arial,sans-serif;font-size:16px;line-height:1=
        =2E5;color:#1f2937;">
        <tr><td style=3D"padding:28px 32px 0;font-size:14px;font-weight:600;color:#=
        6b7280;">Contoso</td></tr>
        <tr><td style=3D"padding:12px 32px 0;">{sentence}</td></tr>
        <tr><td style=3D"padding:24px 32px 0;font-size:14px;color:#6b7280;">Your co=
        de:</td></tr>
        <tr><td style=3D"padding:8px 32px 0;">
        <div dir=3D"ltr" style=3D"padding:16px;background:#eef2ff;border-radius:8px=
        ;text-align:center;font-family:'SF Mono',Menlo,Consolas,monospace;font-size=
        :32px;font-weight:700;letter-spacing:6px;color:#1e1b4b;">{code}</div>
        </td></tr>
        <tr><td style=3D"padding:16px 32px 0;">It is valid for 10 minutes.</td></tr=
        >
        <tr><td style=3D"padding:8px 32px 0;font-weight:600;">Do not share this cod=
        e with anyone. Contoso will never ask you for it.</td></tr>
        <tr><td style=3D"padding:24px 32px 28px;font-size:13px;color:#6b7280;">If y=
        ou did not ask for this code, you can ignore this message.</td></tr>
        </table>
        </td></tr>
        </table>
        </body>
        </html>

        --=_{id}--
        """#
}

/// An SMTP connection that stays open, and the mails that wait for it. Used on its loop.
final class MailSender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Place {
        case greeting, hello, ready, sender, recipient, data, message
    }

    private unowned let loop: FloorLoop
    private let forms = (signUp: MailForm(isSignUp: true), signIn: MailForm(isSignUp: false))
    private var waiting = CircularBuffer<Mail>()
    private var place = Place.greeting
    private var context: ChannelHandlerContext?

    init(_ loop: FloorLoop) {
        self.loop = loop
    }

    /// The number of mails that are not sent yet.
    var count: Int { waiting.count }

    func send(_ mail: Mail) {
        waiting.append(mail)
        if place == .ready { begin() }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let reply = unwrapInboundIn(data)
        // Each reply comes in one piece, because the receiver is asked one thing at a time.
        guard let first = reply.getInteger(at: reply.readerIndex, as: UInt8.self), first == 0x32 || first == 0x33 else {
            giveUp("the receiver refuses mails: \(String(buffer: reply))")
        }
        switch place {
        case .greeting: say(.hello, "EHLO contoso.onmicrosoft.com\r\n")
        case .hello:
            place = .ready
            begin()
        case .sender: if let mail = waiting.first { say(.recipient, "RCPT TO:<", mail.recipient, ">\r\n") }
        case .recipient: say(.data, "DATA\r\n")
        case .data:
            guard let mail = waiting.first else { return }
            var message = context.channel.allocator.buffer(capacity: 4_096)
            (mail.isSignUp ? forms.signUp : forms.signIn).write(mail, date: loop.clock.mailDate, to: &message)
            message.writeStaticString("\r\n.\r\n")
            place = .message
            context.writeAndFlush(wrapOutboundOut(message), promise: nil)
        case .message:
            let mail = waiting.removeFirst()
            loop.finish(mail)
            place = .ready
            begin()
        case .ready: break
        }
    }

    private func begin() {
        guard !waiting.isEmpty else { return }
        say(.sender, "MAIL FROM:<no-reply@contoso.onmicrosoft.com> SIZE=2843\r\n")
    }

    private func say(_ next: Place, _ start: StaticString, _ middle: [UInt8] = [], _ end: StaticString = "") {
        guard let context else { return }
        place = next
        var line = context.channel.allocator.buffer(capacity: 128)
        line.writeStaticString(start)
        line.writeBytes(middle)
        line.writeStaticString(end)
        context.writeAndFlush(wrapOutboundOut(line), promise: nil)
    }
}

/// A receiver of mails in the same process, as the server has one in development: it answers, counts the bytes of a
/// message and discards it.
final class MailReceiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var isReceiving = false
    /// The last bytes of a message so far, at most five: a message ends with a dot alone on its line.
    private var tail: [UInt8] = []
    private static let end = Array("\r\n.\r\n".utf8)

    static func start(on group: any EventLoopGroup) throws -> SocketAddress? {
        try ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MailReceiver())
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait().localAddress
    }

    func channelActive(context: ChannelHandlerContext) {
        reply("220 localhost ready\r\n", context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        if isReceiving {
            tail = Array((tail + bytes.suffix(5)).suffix(5))
            guard tail == Self.end else { return }
            isReceiving = false
            reply("250 taken\r\n", context)
        } else {
            switch bytes.first {
            case UInt8(ascii: "E"): reply("250-localhost\r\n250 SIZE 1048576\r\n", context)
            case UInt8(ascii: "D"):
                isReceiving = true
                tail = []
                reply("354 send the mail\r\n", context)
            case _: reply("250 ok\r\n", context)
            }
        }
    }

    private func reply(_ text: StaticString, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(staticString: text)), promise: nil)
    }
}
