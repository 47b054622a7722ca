import * as tls from 'node:tls'
import type { Logger } from '#kit/logger.ts'

/** Adds the certificate authorities that the operating system trusts: companies run middlewares behind their own. */
export function trustSystemCertificates(logger: Logger): void {
  try {
    const authorities = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    tls.setDefaultCACertificates([...authorities])
  } catch (error) {
    logger.warn({ err: error }, 'the system certificates cannot be read; only the bundled ones are trusted')
  }
}
