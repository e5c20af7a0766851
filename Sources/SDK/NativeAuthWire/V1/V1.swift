/// The native authentication API, version 1.
package enum V1 {}
