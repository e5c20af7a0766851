// The vendor's module re-exports Foundation, so code written for it uses `NSObject` and `URL` after `import MSAL`.
@_exported public import Foundation
