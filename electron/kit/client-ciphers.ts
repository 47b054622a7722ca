import { DEFAULT_CIPHERS } from 'node:tls'

/**
 * The ciphers of every TLS connection that this house opens: Node's own without finite-field Diffie-Hellman. There the
 * server chooses the size of the numbers, and one of 10,000 bits takes this thread a second before its certificate is
 * judged. TLS 1.3 and elliptic curves have fixed sizes.
 */
export const clientCiphers = `${DEFAULT_CIPHERS}:!DHE`
