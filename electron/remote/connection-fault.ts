import type { ConnectionProblem, ConnectionStep } from '#shared/bridge/views.ts'
import { isCertificateCode, type Milestone } from './exchange.ts'

/** The step at which a connection test ended, and why. */
export interface ConnectionFault {
  readonly step: ConnectionStep
  readonly code: ConnectionProblem
}

interface Broken {
  /** The system's error code, or one of `exchange.ts`. */
  readonly code: string
  readonly reached: ReadonlySet<Milestone>
  readonly isTls: boolean
  readonly throughProxy: boolean
}

/** What an exchange without a whole response means for somebody who sets up a station. */
export function connectionFault({ code, reached, isTls, throughProxy }: Broken): ConnectionFault {
  if (throughProxy) return tlsFault(code) ?? { step: 'port', code: 'proxy_failed' }
  if (!reached.has('port')) return unconnectedFault(code, reached)
  if (isTls && !reached.has('tls'))
    return tlsFault(code) ?? { step: 'tls', code: code === 'TIMEOUT' ? 'tls_silent' : 'tls_failed' }
  if (code === 'TIMEOUT') return { step: 'service', code: 'server_silent' }
  const isOther = code.startsWith('HPE_') || code === 'TOO_LARGE'
  return { step: 'service', code: isOther ? 'not_the_service' : 'hung_up' }
}

function unconnectedFault(code: string, reached: ReadonlySet<Milestone>): ConnectionFault {
  if (code === 'ENOTFOUND') return { step: 'name', code: 'name_unknown' }
  if (code.startsWith('EAI_')) return { step: 'name', code: 'name_not_looked_up' }
  if (code === 'ECONNREFUSED') return { step: 'port', code: 'port_refused' }
  if (code !== 'TIMEOUT')
    return { step: 'port', code: code === 'ETIMEDOUT' ? 'port_silent' : 'port_unreachable' }
  return reached.has('name')
    ? { step: 'port', code: 'port_silent' }
    : { step: 'name', code: 'name_not_looked_up' }
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
])
const certificateProblems: Readonly<Record<string, ConnectionProblem>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_name',
  HOSTNAME_MISMATCH: 'certificate_other_name',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
}

/** OpenSSL's reasons when the first bytes that come back are no TLS: plain http, as a rule. */
const notTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
])

/** Null: no code of TLS. */
function tlsFault(code: string): ConnectionFault | null {
  if (!isCertificateCode(code)) return null
  if (notTls.has(code)) return { step: 'tls', code: 'no_tls' }
  // the handshake itself, which is no matter of the certificate
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return { step: 'tls', code: 'tls_failed' }
  const problem = untrusted.has(code) ? 'certificate_untrusted' : certificateProblems[code]
  return { step: 'tls', code: problem ?? 'certificate_wrong' }
}
