// The vendor's module brings Foundation along, so code that was written for it names `NSObject` and `URL` after `import MSAL`.
@_exported public import Foundation
