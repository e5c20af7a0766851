public import Foundation
internal import NativeAuth

#if !canImport(ObjectiveC)
    /// The type that `error: &error` and `error: nil` convert to; Apple's Foundation declares it there.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// The token that a claim is requested for.
public enum MSALClaimsRequestTarget: UInt, Sendable {
    /// The ID token.
    case idToken
    /// The access token.
    case accessToken

    fileprivate var member: String {
        switch self {
        case .idToken: "id_token"
        case .accessToken: "access_token"
        }
    }
}

/// A request for claims in the tokens, as the JSON object of OpenID Connect Core section 5.5.
///
/// It is read when it is used; changing it afterwards has no effect on a call.
public final class MSALClaimsRequest: NSObject {
    private var members: [String: JSONValue] = [:]

    /// A request for no particular claim.
    public override init() {}

    /// Parses a claims request.
    ///
    /// - Parameters:
    ///   - jsonString: A JSON object.
    ///   - error: Receives an error in ``MSALErrorDomain`` when `jsonString` is not a JSON object; the request is then
    ///     empty.
    public init(jsonString: String, error: NSErrorPointer) {
        do {
            members = try JSONDecoder().decode([String: JSONValue].self, from: Data(jsonString.utf8))
        } catch let reason {
            error?.pointee = .msal("The claims request is not a JSON object.", underlying: reason)
        }
    }

    /// The JSON text to send, with its members in alphabetical order, or nil when nothing is requested.
    public func jsonString() -> String? {
        guard !members.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(members), as: UTF8.self)
        } catch {
            // Decoded or translated values always encode; if encoding fails, nothing is requested.
            return nil
        }
    }

    /// Requests a claim; replaces an earlier request for it.
    ///
    /// - Parameters:
    ///   - request: The claim and its conditions; read now.
    ///   - target: The token that must contain it.
    /// - Throws: An error in ``MSALErrorDomain`` for a value that JSON cannot represent, or a whole number outside
    ///   `Int`.
    public func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
        var claims = claims(for: target)
        claims[request.name] = try request.additionalInfo?.json() ?? .null
        members[target.member] = .object(claims)
    }

    /// Removes the request for a claim.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when the claim was not requested.
    public func removeClaimRequest(withName name: String, target: MSALClaimsRequestTarget) throws {
        var claims = claims(for: target)
        guard claims.removeValue(forKey: name) != nil else {
            throw NSError.msal("The claim \(name) is not requested.")
        }
        members[target.member] = claims.isEmpty ? nil : .object(claims)
    }

    /// The requested claims, ordered by name; nil for none.
    public func claimsRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest]? {
        let claims = claims(for: target)
        guard !claims.isEmpty else { return nil }
        return claims.sorted { $0.key < $1.key }.map { name, info in
            let request = MSALIndividualClaimRequest(name: name)
            if case .object(let info) = info {
                request.additionalInfo = MSALIndividualClaimRequestAdditionalInfo(info)
            }
            return request
        }
    }

    private func claims(for target: MSALClaimsRequestTarget) -> [String: JSONValue] {
        if case .object(let claims) = members[target.member] { claims } else { [:] }
    }
}

/// A request for a claim in a token.
public final class MSALIndividualClaimRequest: NSObject {
    /// The claim's name.
    public var name: String
    /// The conditions for the claim; nil for any value.
    public var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

    /// A request for a claim with any value.
    public init(name: String) {
        self.name = name
    }
}

/// The conditions for a claim.
public final class MSALIndividualClaimRequestAdditionalInfo: NSObject {
    /// A boolean: whether the user's task needs the claim.
    public var essential: NSNumber?
    /// The value that the claim should have.
    public var value: Any?
    /// The values that the claim may have, the best one first.
    public var values: [Any]?

    /// No conditions.
    public override init() {}

    fileprivate init(_ members: [String: JSONValue]) {
        if case .boolean(let flag) = members["essential"] { essential = NSNumber(value: flag) }
        value = members["value"]?.any
        if case .array(let elements) = members["values"] { values = elements.map(\.any) }
    }

    fileprivate func json() throws -> JSONValue {
        var members: [String: JSONValue] = [:]
        members["essential"] = essential.map { .boolean($0.boolValue) }
        members["value"] = try value.map(Self.json)
        members["values"] = try values.map { .array(try $0.map(Self.json)) }
        return .object(members)
    }

    private static func json(_ any: Any) throws -> JSONValue {
        guard let value = JSONValue(any: any) else {
            throw NSError.msal("A value of a claims request has no form in JSON.")
        }
        return value
    }
}

extension JSONValue {
    /// The value in the form of `JSONSerialization`.
    var any: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let value): value
        case .integer(let value): value
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.any)
        case .object(let members): members.mapValues(\.any)
        }
    }

    /// Nil for a value that JSON cannot represent.
    init?(any value: Any) {
        // Check for NSNumber by its class first: it would also convert to a Swift number and a Swift boolean.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            if number.isBoolean {
                self = .boolean(number.boolValue)
            } else if let number = Int(exactly: number) {
                self = .integer(number)
            } else if number.isFraction {
                self = .number(number.doubleValue)
            } else {
                return nil
            }
        } else if let text = value as? String {
            self = .string(text)
        } else if let flag = value as? Bool {
            self = .boolean(flag)
        } else if let number = (value as? any BinaryInteger).flatMap({ Int(exactly: $0) }) {
            self = .integer(number)
        } else if let number = (value as? any BinaryFloatingPoint).map({ Double($0) }), number.isFinite {
            self = .number(number)
        } else if value is NSNull {
            self = .null
        } else if let elements = value as? [Any] {
            let values = elements.compactMap(JSONValue.init(any:))
            guard values.count == elements.count else { return nil }
            self = .array(values)
        } else if let elements = value as? [String: Any] {
            let members = elements.compactMapValues(JSONValue.init(any:))
            guard members.count == elements.count else { return nil }
            self = .object(members)
        } else {
            return nil
        }
    }
}

extension NSNumber {
    fileprivate var isBoolean: Bool {
        #if canImport(ObjectiveC)
            // The type alone is not enough: a number of eight bits has the type of a boolean.
            CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
            ["c", "B"].contains(String(cString: objCType))
        #endif
    }

    fileprivate var isFraction: Bool {
        ["f", "d"].contains(String(cString: objCType)) && doubleValue.isFinite
    }
}
