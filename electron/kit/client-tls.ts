import { constants } from 'node:crypto'
import { DEFAULT_CIPHERS } from 'node:tls'

/**
 * The TLS options of every outgoing HTTPS connection.
 *
 * The ciphers are Node's defaults without finite-field Diffie-Hellman. With finite-field Diffie-Hellman the server
 * chooses the size of the numbers, and a size of 10,000 bits blocks this thread for a second before the certificate is
 * checked. TLS 1.3 and elliptic curves have fixed sizes.
 *
 * With OpenSSL, `SSL_OP_NO_RENEGOTIATION` prevents a TLS 1.2 server from starting new handshakes on an open connection.
 * Each of them would take as much time as a new connection.
 */
export const clientTls = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}
