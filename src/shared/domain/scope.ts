import { z } from 'zod'

/**
 * The station at which a desk works. All data on this machine are stored under the three values of the scope, so that
 * data of two stations never mix.
 */
export interface Scope {
  /** Base address of the service without a trailing slash, with the host in lower case (see normaliseBaseUrl). */
  readonly baseUrl: string
  readonly wmsCode: string
  readonly customerCode: string
}

/**
 * The environments of a station, which every screen distinguishes: the embedded sandbox, the service's development
 * environment, production.
 */
export type Environment = 'sandbox' | 'development' | 'production'

/** The WMS code of the development environment (API.md 1.2). */
export const developmentWmsCode = 'DEV'

/** Base address that stands for the embedded middleware, whatever port it has. */
export const embeddedBaseUrl = 'embedded:'

export function environmentOf(scope: Pick<Scope, 'baseUrl' | 'wmsCode'>): Environment {
  if (scope.baseUrl === embeddedBaseUrl) return 'sandbox'
  return scope.wmsCode.toUpperCase() === developmentWmsCode ? 'development' : 'production'
}

/**
 * A scope as one line. Two scopes have the same line exactly if they are equal; the case of codes is ignored, as at the
 * service.
 */
const scopeLine = z.string().brand<'ScopeKey'>()
export type ScopeKey = string & z.$brand<'ScopeKey'>

/** Returns the key of the rows of this scope in the databases of this machine. */
export function scopeKey(scope: Scope): ScopeKey {
  return scopeLine.parse(
    JSON.stringify([scope.baseUrl, scope.wmsCode.toUpperCase(), scope.customerCode.toUpperCase()]),
  )
}

/**
 * The key of rows that belong to the whole data folder. No scope has this key, because the key of a scope contains an
 * address.
 */
export const folderKey: ScopeKey = scopeLine.parse('')
