package import NativeAuthCore

/// A request with a form as its body. Reading validates only repetition: a missing parameter is nil, an empty one is
/// `""`, and the server's codec decides what that means.
package protocol FormRequest: Hashable, Sendable {
    /// A request without parameters.
    init()
    /// Hands each parameter to `coder`, in the order of the body. The one list serves reading and writing.
    mutating func code<Coder: FormCoder>(with coder: inout Coder) throws(Coder.Failure)
}

/// Reads or writes the parameters of a ``FormRequest``.
package protocol FormCoder {
    associatedtype Failure: Error

    /// The value as it stands.
    mutating func single(_ parameter: FormParameter, _ value: inout String?) throws(Failure)
    /// The value without trailing blanks (docs/protocol.md §4.3).
    mutating func word(_ parameter: FormParameter, _ value: inout String?) throws(Failure)
    /// A value that must not be printed.
    mutating func secret(_ parameter: FormParameter, _ value: inout Secret<String>?) throws(Failure)
    /// Words with blanks between them.
    mutating func list(_ parameter: FormParameter, _ value: inout [String]?) throws(Failure)
    /// The words of `capabilities`. An older edition of the reference calls it `capability` and separates by commas
    /// (docs/protocol.md §16).
    mutating func capabilities(_ value: inout [String]?) throws(Failure)
    /// A value that every request of a type has; reading ignores it.
    mutating func constant(_ parameter: FormParameter, _ value: String) throws(Failure)
}

extension FormCoder {
    mutating func word(_ parameter: FormParameter, _ value: inout GrantType?) throws(Failure) {
        var word = value?.rawValue
        try self.word(parameter, &word)
        value = word.map(GrantType.init(rawValue:))
    }
}

extension FormRequest {
    /// Reads the parameters, and ignores unknown ones.
    ///
    /// - Throws: ``FormError/repeated(_:)`` for a known parameter given twice or as an array.
    package init(form: FormFields) throws(FormError) {
        self.init()
        var reader = FormReader(form: form)
        try code(with: &reader)
    }

    /// The parameters that are not nil.
    package var form: FormFields {
        var (request, writer) = (self, FormWriter())
        request.code(with: &writer)
        return writer.form
    }
}

private struct FormReader: FormCoder {
    typealias Failure = FormError

    let form: FormFields

    func single(_ parameter: FormParameter, _ value: inout String?) throws(FormError) {
        value = try form.single(parameter.rawValue)
    }

    func word(_ parameter: FormParameter, _ value: inout String?) throws(FormError) {
        value = try form.word(parameter.rawValue)
    }

    func secret(_ parameter: FormParameter, _ value: inout Secret<String>?) throws(FormError) {
        value = try form.secret(parameter.rawValue)
    }

    func list(_ parameter: FormParameter, _ value: inout [String]?) throws(FormError) {
        value = try form.list(parameter.rawValue)
    }

    func capabilities(_ value: inout [String]?) throws(FormError) {
        let capability = try form.list(FormParameter.capability.rawValue, alsoAtCommas: true)
        let capabilities = try form.list(FormParameter.capabilities.rawValue, alsoAtCommas: true)
        guard capability == nil || capabilities == nil else { throw .repeated("capabilities") }
        value = capabilities ?? capability
    }

    func constant(_: FormParameter, _: String) {}
}

private struct FormWriter: FormCoder {
    typealias Failure = Never

    var form = FormFields()

    mutating func single(_ parameter: FormParameter, _ value: inout String?) {
        form.append(parameter.rawValue, value)
    }

    mutating func word(_ parameter: FormParameter, _ value: inout String?) {
        form.append(parameter.rawValue, value)
    }

    mutating func secret(_ parameter: FormParameter, _ value: inout Secret<String>?) {
        form.append(parameter.rawValue, value)
    }

    mutating func list(_ parameter: FormParameter, _ value: inout [String]?) {
        form.append(parameter.rawValue, value)
    }

    mutating func capabilities(_ value: inout [String]?) {
        list(.capabilities, &value)
    }

    mutating func constant(_ parameter: FormParameter, _ value: String) {
        form.append(parameter.rawValue, value)
    }
}
