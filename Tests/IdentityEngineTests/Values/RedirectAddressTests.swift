import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityEngine

/// Which addresses applications can register, and which of requests are theirs.
@Suite("Redirect addresses") struct RedirectAddressTests {
    private static let client = ClientID(
        UUID(uuid: (0, 0, 0x11, 0x11, 0xAA, 0xAA, 0x22, 0x22, 0xBB, 0xBB, 0x33, 0x33, 0xCC, 0xCC, 0x44, 0x44)))
    private static let own = "msal00001111-aaaa-2222-bbbb-3333cccc4444://auth"
    private static let registered = RedirectAddresses([
        .publicClient: [
            "msauth.com.example.app://auth", own, "com.example.app:/oauth2redirect", "http://localhost",
            "http://127.0.0.1:8400/done?x=1", "http://[::1]/cb", "https://app.example.com/native",
        ],
        .spa: ["https://app.example.com/done", "http://localhost:3000/spa"],
        .web: [
            "https://web.example.com/cb?tenant=1", "https://web.example.com", "https://web.example.com:8443/a%20b",
            "http://127.0.0.1:5000/web",
        ],
    ])

    @Test(
        "SEC-OAUTH-2, OIDC-1: an address that is registered has its kind, and the port of an app on this machine is free",
        arguments: [
            ("msauth.com.example.app://auth", .publicClient), (own, .publicClient),
            ("com.example.app:/oauth2redirect", .publicClient), ("https://app.example.com/native", .publicClient),
            ("http://localhost", .publicClient), ("http://localhost/", .publicClient),
            ("http://localhost:1", .publicClient), ("http://localhost:65535", .publicClient),
            ("http://localhost:53682/", .publicClient), ("http://127.0.0.1/done?x=1", .publicClient),
            ("http://127.0.0.1:8400/done?x=1", .publicClient), ("http://127.0.0.1:9/done?x=1", .publicClient),
            ("http://[::1]/cb", .publicClient), ("http://[::1]:8080/cb", .publicClient),
            ("https://app.example.com/done", .spa), ("http://localhost:3000/spa", .spa),
            ("https://web.example.com/cb?tenant=1", .web), ("https://web.example.com", .web),
            ("https://web.example.com:8443/a%20b", .web), ("http://127.0.0.1:5000/web", .web),
        ] as [(String, RedirectAddresses.Kind)])
    func accepted(_ address: String, _ kind: RedirectAddresses.Kind) {
        #expect(Self.registered.accepts(address) == kind)
    }

    @Test("SEC-OAUTH-2: an address that differs by anything else is none of them", arguments: hostile)
    func refused(_ address: String) {
        #expect(Self.registered.accepts(address) == nil)
    }

    @Test("SEC-OAUTH-2: no address is accepted with one character more, less or other")
    func oneCharacter() {
        let others = "\0\t\n\r #%&*+,-./0:;=?@AZ[\\]_a~\u{7F}é\u{200B}\u{301}\u{202E}．／：".unicodeScalars
        var tried = 0
        for address in RedirectAddresses.Kind.allCases.flatMap({ Self.registered[$0] }) {
            let scalars = Array(address.unicodeScalars)
            var changed: [[Unicode.Scalar]] = []
            for index in 0...scalars.count {
                changed += others.map { Array(scalars[..<index]) + [$0] + Array(scalars[index...]) }
                guard index < scalars.count else { continue }
                changed.append(Array(scalars[..<index]) + Array(scalars[(index + 1)...]))
                changed += others.map { Array(scalars[..<index]) + [$0] + Array(scalars[(index + 1)...]) }
            }
            for scalars in changed {
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                let candidate = String(text)
                guard !isTheirs(candidate) else { continue }
                tried += 1
                #expect(Self.registered.accepts(candidate) == nil, "\(candidate.debugDescription)")
            }
        }
        #expect(tried > 20_000)
    }

    /// Written another way than the code under test: an expression for each address of this machine.
    private func isTheirs(_ address: String) -> Bool {
        let isListed = RedirectAddresses.Kind.allCases.contains { kind in
            Self.registered[kind].contains { $0.utf8.elementsEqual(address.utf8) }
        }
        guard !isListed, address.utf8.allSatisfy({ $0 < 0x80 }) else { return isListed }
        let forms = [
            /http:\/\/localhost(?::([1-9][0-9]{0,4}))?\/?/, /http:\/\/127\.0\.0\.1(?::([1-9][0-9]{0,4}))?\/done\?x=1/,
            /http:\/\/\[::1\](?::([1-9][0-9]{0,4}))?\/cb/,
        ]
        return forms.contains { form in
            guard let match = address.wholeMatch(of: form) else { return false }
            return match.1.map { (Int($0) ?? 0) <= 65_535 } ?? true
        }
    }

    @Test(
        "SEC-OAUTH-2: what can be registered, and what cannot, by kind",
        arguments: [
            (own, .publicClient, nil), (own, .spa, "begin with https"), (own, .web, "begin with https"),
            ("MSAL00001111-aaaa-2222-bbbb-3333cccc4444://auth", .publicClient, "with a dot"),
            ("msal00001111-AAAA-2222-bbbb-3333cccc4444://auth", .publicClient, "with a dot"),
            ("msal11112222-bbbb-3333-cccc-4444dddd5555://auth", .publicClient, "with a dot"),
            ("msal://auth", .publicClient, "with a dot"), ("msalX://auth", .publicClient, "with a dot"),
            ("myapp://auth", .publicClient, "with a dot"), ("exp://127.0.0.1:8081", .publicClient, "with a dot"),
            ("urn:ietf:wg:oauth:2.0:oob", .publicClient, "with a dot"), ("com.:/x", .publicClient, "with a dot"),
            ("urn:ietf:wg:oauth:2.0:oob", .web, "begin with https"), ("a..b:/x", .publicClient, "with a dot"),
            ("msauth.com.example.app://auth", .publicClient, nil), ("com.example.app:/cb", .publicClient, nil),
            ("com.example.app://", .publicClient, nil), ("com.example.app:", .publicClient, "behind its scheme"),
            ("com.example.app://user@auth", .publicClient, "no user"),
            ("com.example.app:/a/../b", .publicClient, "in its path"),
            ("http://localhost", .publicClient, nil), ("http://localhost", .spa, nil),
            ("http://localhost:3000", .web, nil), ("http://127.0.0.1:0/", .publicClient, "name a host"),
            ("http://127.0.0.1:080/", .publicClient, "name a host"), ("http://[::1]:80/", .publicClient, nil),
            ("http://[::ffff:127.0.0.1]/", .publicClient, "begin with https"),
            ("http://127.0.0.2/", .publicClient, "begin with https"), ("http://127.1/", .spa, "begin with https"),
            ("http://0.0.0.0/", .publicClient, "begin with https"),
            ("http://2130706433/", .publicClient, "begin with https"),
            ("http://localhost./", .publicClient, "name a host"),
            ("http://localhost.evil.com/", .publicClient, "begin with https"),
            ("https://app.example.com/a/./b", .web, "in its path"), ("https://app.example.com/..", .web, "in its path"),
            ("https://app.example.com/%2e%2E/b", .web, "in its path"),
            ("https://app.example.com/a/.%2e", .web, "in its path"), ("https://app.example.com/a..b", .web, nil),
            ("https://app.example.com/?a=../b", .web, nil), ("https://app.example.com/%", .web, "two digits"),
            ("https://app.example.com/%zz", .web, "two digits"), ("https://app.example.com/?q=%4", .web, "two digits"),
            ("https://app.example.com/%C3%A9", .web, nil), ("https://app.example.com/é", .web, "printable ASCII"),
            ("https://аpp.example.com/", .web, "printable ASCII"), ("https://xn--pp-7kc.example.com/", .web, nil),
            ("https://app.example.com/ ", .web, "printable ASCII"), ("", .web, "printable ASCII"),
            ("https://app.example.com/\t", .web, "printable ASCII"), ("//app.example.com/", .web, "printable ASCII"),
            ("https://app.example.com/" + String(repeating: "a", count: 232), .web, nil),
            ("https://app.example.com/" + String(repeating: "a", count: 233), .web, "at most 256"),
            ("https:app.example.com", .web, "name a host"), ("https:/app.example.com", .web, "name a host"),
            ("ftp://app.example.com/", .publicClient, "ftp"), ("wss://app.example.com/", .web, "wss"),
            ("https://*.example.com/", .web, "wildcard"), ("https://app.example.com/*", .spa, "wildcard"),
            ("https://app.example.com/#/done", .spa, "fragment"),
        ] as [(String, RedirectAddresses.Kind, String?)])
    func registration(_ address: String, _ kind: RedirectAddresses.Kind, _ part: String?) {
        let fault = RedirectAddresses.fault(address, of: kind, client: Self.client)
        if let part {
            #expect(fault?.contains(part) == true, "\(fault ?? "none")")
        } else {
            #expect(fault == nil)
        }
    }

    @Test(
        "SEC-OAUTH-2, OIDC-1: an address has one kind, and two of an app on this machine differ in more than the port")
    func companions() {
        var redirects = Self.registered
        #expect(redirects.fault(adding: "http://localhost:8400", to: .publicClient)?.contains("port only") == true)
        #expect(redirects.fault(adding: "http://[::1]:1/cb", to: .publicClient)?.contains("port only") == true)
        #expect(redirects.fault(adding: "http://localhost/", to: .publicClient) == nil)
        #expect(redirects.fault(adding: "http://localhost/done", to: .publicClient) == nil)
        #expect(redirects.fault(adding: "http://localhost:4000/spa", to: .spa) == nil, "its port counts")
        #expect(redirects.fault(adding: Self.own, to: .publicClient) == "is there twice")
        #expect(redirects.fault(adding: "https://web.example.com", to: .spa)?.contains("in web too") == true)
        redirects.all[.spa] = (1...50).map { "https://app.example.com/\($0)" }
        #expect(redirects.fault(adding: "https://app.example.com/51", to: .spa)?.contains("at most 50") == true)
    }

    @Test(
        "OIDC-29: an origin has the form that browsers send, and is never null or a wildcard",
        arguments: [
            ("https://app.example.com", true), ("https://app.example.com:8443", true), ("http://localhost:3000", true),
            ("http://127.0.0.1", true), ("http://[::1]:3000", true), ("https://xn--pp-7kc.example.com", true),
            ("null", false), ("*", false), ("", false), ("https://", false), ("https://app.example.com/", false),
            ("https://app.example.com:443", false), ("http://localhost:80", false), ("https://App.example.com", false),
            ("HTTPS://app.example.com", false), ("http://app.example.com", false), ("app.example.com", false),
            ("https://*.example.com", false), ("https://app.example.com:0", false),
            ("https://app.example.com:", false), ("https://app.example.com:08443", false),
            ("https://user@app.example.com", false), ("https://app.example.com?x", false),
            ("https://app.example.com#x", false), ("https://app.example.com.", false), ("file://", false),
            ("https://аpp.example.com", false), ("https:/app.example.com", false), ("ws://localhost:3000", false),
            ("https://app.example.com ", false), ("capacitor://localhost", false), ("https://app.example.com\\", false),
        ])
    func origins(_ origin: String, isGood: Bool) {
        #expect((RedirectAddresses.fault(origin: origin) == nil) == isGood)
    }

    // MARK: - Addresses that are nearly registered

    private static let hostile: [String] = [
        // Letter case.
        "MSAUTH.com.example.app://auth", "msauth.com.example.app://Auth", "msauth.COM.example.app://auth",
        "MSAL00001111-aaaa-2222-bbbb-3333cccc4444://auth", "msal00001111-AAAA-2222-bbbb-3333cccc4444://auth",
        "HTTP://localhost", "Http://localhost:80", "http://LOCALHOST", "http://Localhost:8400/", "http://localhosT:1",
        "HTTPS://app.example.com/done", "https://APP.example.com/done", "https://app.example.com/DONE",
        "https://app.example.com/Done", "https://web.example.com/cb?TENANT=1", "https://web.example.com:8443/A%20b",
        "http://[::1]/CB", "http://127.0.0.1:8400/done?X=1",
        // A slash or a path more, or less.
        "https://app.example.com/done/", "https://app.example.com//done", "https://app.example.com/",
        "https://app.example.com",
        "https:///app.example.com/done", "https:/app.example.com/done", "https:app.example.com/done",
        "https:////app.example.com/done", "//app.example.com/done", "/done", "done", "https://web.example.com/",
        "https://web.example.com/cb", "https://web.example.com//", "https://web.example.com/cb/?tenant=1",
        "http://localhost//", "http://localhost/x", "http://localhost:8400/x", "http://localhost:8400//",
        "http://[::1]", "http://[::1]/", "http://[::1]/cb/", "http://[::1]/cb/x", "http://127.0.0.1/",
        "http://127.0.0.1",
        "http://127.0.0.1/done", "msauth.com.example.app://auth/", "msauth.com.example.app:auth",
        "msauth.com.example.app:/auth", "msauth.com.example.app:///auth", "com.example.app://oauth2redirect",
        "com.example.app:oauth2redirect", "com.example.app:/oauth2redirect/", "\(own)/", "msauth.com.example.app://",
        // A query more, less or other.
        "https://app.example.com/done?", "https://app.example.com/done?a=b", "https://app.example.com/done&a=b",
        "https://app.example.com/done;a=b", "https://web.example.com/cb?", "https://web.example.com/cb?tenant=2",
        "https://web.example.com/cb?tenant=1&a=b", "https://web.example.com/cb?a=b&tenant=1",
        "https://web.example.com/cb?tenant=%31", "https://web.example.com?", "https://web.example.com?tenant=1",
        "http://localhost?", "http://localhost?x=1", "http://localhost:8400?x=1", "http://localhost/?",
        "http://127.0.0.1/done?x=1&y=2", "http://127.0.0.1/done?x=2", "http://127.0.0.1/done?x=1?", "http://[::1]/cb?",
        // Fragments.
        "https://app.example.com/done#", "https://app.example.com/done#x", "https://app.example.com/#/done",
        "http://localhost#", "http://localhost/#", "http://localhost:1#x", "http://[::1]/cb#", "\(own)#x",
        "https://web.example.com#@app.example.com/done", "http://localhost:1/#@evil.com",
        // Users in front of a host, and hosts that look like a user.
        "https://app.example.com@evil.com/done", "https://user@app.example.com/done",
        "https://u:p@app.example.com/done",
        "https://@app.example.com/done", "https://:@app.example.com/done", "https://evil.com@app.example.com/done",
        "http://localhost@evil.com", "http://localhost:80@evil.com/", "http://user@localhost", "http://@localhost",
        "http://localhost:@evil.com", "http://u:p@localhost:8400", "http://[::1]@evil.com/cb",
        "http://127.0.0.1@evil.com/done?x=1",
        "http://evil.com:80@localhost", "http://localhost%40evil.com", "http://localhost:80%40evil.com/",
        // Dots in the path, as they are and in percent code.
        "https://app.example.com/./done", "https://app.example.com/x/../done", "https://app.example.com/../done",
        "https://app.example.com/done/.", "https://app.example.com/done/..", "https://app.example.com/done/../evil",
        "https://app.example.com/%2e/done", "https://app.example.com/x/%2e%2e/done",
        "https://app.example.com/x/.%2E/done",
        "http://localhost/.", "http://localhost/..", "http://localhost/%2e", "http://[::1]/x/../cb",
        "http://[::1]/./cb",
        // Percent code of what is there, and of what is not.
        "https://app.example.com/d%6Fne", "https://app.example.com/%64one", "https://app.example.com%2Fdone",
        "https://app%2Eexample.com/done", "https%3A//app.example.com/done", "https://app.example.com/done%00",
        "https://app.example.com/done%0d%0a", "https://app.example.com/done%20", "https://app.example.com/done%2f",
        "https://app.example.com/done%23", "https://web.example.com:8443/a b", "https://web.example.com:8443/a+b",
        "https://web.example.com:8443/a%20b%20", "https://web.example.com:8443/a%2520b", "http://%6cocalhost",
        "http://localhost%00", "http://localhost%2F", "http://localhost%3A80", "http://127%2E0.0.1/done?x=1",
        // Look-alikes, wide forms and forms that compose.
        "https://аpp.example.com/done", "https://app.еxample.com/done", "https://app.example.соm/done",
        "https://app.example。com/done", "https://app．example.com/done", "https://ａpp.example.com/done",
        "https://app.example.com／done", "https://app.example.com/dоne", "https://xn--pp-7kc.example.com/done",
        "https://app.example.com/don\u{65}\u{301}", "http://lоcalhost", "http://ⓛocalhost", "http://local\u{AD}host",
        "http://localhost\u{200B}", "http://localho\u{17F}t", "http://①27.0.0.1/done?x=1", "\u{202E}http://localhost",
        "\u{FEFF}http://localhost", "msauth.com.exаmple.app://auth", "http://127。0。0。1/done?x=1",
        // Ports.
        "https://app.example.com:443/done", "https://app.example.com:8443/done", "https://app.example.com:/done",
        "https://web.example.com:443", "https://web.example.com/a%20b", "https://web.example.com:8444/a%20b",
        "https://web.example.com:08443/a%20b", "http://localhost:3001/spa", "http://localhost/spa",
        "http://127.0.0.1:5001/web", "http://127.0.0.1/web", "http://localhost:", "http://localhost:/",
        "http://localhost:0",
        "http://localhost:65536", "http://localhost:99999", "http://localhost:-1", "http://localhost:+80",
        "http://localhost:080", "http://localhost:8 0", "http://localhost:80:80", "http://localhost:80.",
        "http://localhost:0x50",
        "http://localhost:٨٠", "http://localhost:８０", "http://localhost:http", "http://localhost:000080",
        "http://[::1]:/cb", "http://[::1]:0/cb", "http://[::1]8080/cb", "https://app.example.com:1/native",
        // Other hosts of this machine, and hosts that begin or end like one.
        "http://localhost.", "http://localhost.evil.com", "http://localhost.localdomain", "http://evil-localhost",
        "http://evil.localhost", "http://localhost-evil.com", "http://localhostevil", "http://xlocalhost:80/",
        "http://127.0.0.1.nip.io/done?x=1", "http://127.0.0.1.evil.com/done?x=1", "http://127.0.0.1./done?x=1",
        "http://127.0.0.2/done?x=1", "http://127.1/done?x=1", "http://2130706433/done?x=1",
        "http://0x7f000001/done?x=1",
        "http://0177.0.0.1/done?x=1", "http://127.0.0.01/done?x=1", "http://127.00.0.1/done?x=1", "http://0/done?x=1",
        "http://0.0.0.0/done?x=1", "http://127.0.0.1:8400", "http://[::ffff:127.0.0.1]/cb", "http://[::ffff:7f00:1]/cb",
        "http://[0:0:0:0:0:0:0:1]/cb", "http://[::01]/cb", "http://[::1%25lo]/cb", "http://[::1%lo]/cb",
        "http://[::]/cb",
        "http://::1/cb", "http://[::1/cb", "http://::1]/cb", "http://[[::1]]/cb", "http://[::1].evil.com/cb",
        "http://[::1]evil.com/cb", "http://[::1]:80.evil.com/cb", "http://ip6-localhost/cb", "https://localhost",
        "https://localhost:8400", "https://127.0.0.1/done?x=1", "https://[::1]/cb",
        // Backslashes and blanks.
        "https:\\\\app.example.com\\done", "https://app.example.com\\done", "https://app.example.com\\@evil.com/done",
        "https://evil.com\\@app.example.com/done", "https://app.example.com/done\\", "http:\\\\localhost",
        "http://localhost\\",
        "http://localhost\\.evil.com", "http://evil.com\\@localhost", "http:/\\localhost",
        "http://localhost:80\\@evil.com",
        " https://app.example.com/done", "https://app.example.com/done ", "https://app.example.com/done\t",
        "https://app.example.com/done\r\n", "https://app.example.com/do\nne", "ht\ttps://app.example.com/done",
        "https://app.example.com/done\r\nLocation: https://evil.com", "https://app.example.com/done\0",
        "\0http://localhost",
        " http://localhost", "http://localhost ", "http://localhost\t", "http://localhost\n", "http://local\thost",
        "http://localhost\r\nX: y", "http:// localhost", "http://localhost :80", "http://localhost\u{A0}",
        "http://localhost\u{2028}", "http://localhost:80\n", "\thttp://[::1]/cb",
        // Other schemes, and more than one address.
        "http://app.example.com/done", "ws://localhost", "file://localhost", "javascript://localhost/%0aalert(1)",
        "javascript:alert(1)//http://localhost", "data:text/html,http://localhost", "urn:ietf:wg:oauth:2.0:oob",
        "about:blank",
        "view-source:https://app.example.com/done", "blob:https://app.example.com/done", "intent://auth#Intent;end",
        "msauth.com.example.app2://auth", "msauth.com.example.ap://auth", "xmsauth.com.example.app://auth",
        "msauth.com.example.app.evil://auth", "msal11112222-bbbb-3333-cccc-4444dddd5555://auth", "msal://auth",
        "https://app.example.com/done,https://evil.com", "https://app.example.com/done https://evil.com",
        "https://app.example.com/donehttps://evil.com", "https://evil.com/https://app.example.com/done",
        "https://evil.com/?https://app.example.com/done", "https://evil.com#https://app.example.com/done",
        "https://app.example.com.evil.com/done", "https://evil-app.example.com/done",
        "https://evilapp.example.com/done",
        "https://sub.app.example.com/done", "https://example.com/done", "https://app.example.com./done",
        "https://app..example.com/done", "https://*.example.com/done", "https://app.example.com/*", "*", "", ".",
        "null",
        "http://localhost/" + String(repeating: "a", count: 300),
        "http://localhost:" + String(repeating: "8", count: 300),
    ]
}
