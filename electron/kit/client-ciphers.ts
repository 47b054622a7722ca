import { DEFAULT_CIPHERS } from 'node:tls'

/**
 * The ciphers of every outgoing HTTPS connection: Node's defaults without finite-field Diffie-Hellman. With
 * finite-field Diffie-Hellman the server chooses the size of the numbers, and a size of 10,000 bits blocks this thread
 * for a second before the certificate is checked. TLS 1.3 and elliptic curves have fixed sizes.
 */
export const clientCiphers = `${DEFAULT_CIPHERS}:!DHE`
