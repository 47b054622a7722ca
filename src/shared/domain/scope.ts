/**
 * The station at which a desk works. All data on this machine are stored under these three values, so that data of two
 * stations never mix.
 */
export interface Scope {
  /** Without a trailing slash, host in lower case: see normaliseBaseUrl. */
  readonly baseUrl: string
  readonly wmsCode: string
  readonly customerCode: string
}

/** Shown differently on every screen: the embedded sandbox, the service's development environment, production. */
export type Environment = 'sandbox' | 'development' | 'production'

/** The WMS code of the development environment (API.md 1.2). */
export const developmentWmsCode = 'DEV'

/** Base address that stands for the embedded middleware, whatever port it has. */
export const embeddedBaseUrl = 'embedded:'

export function environmentOf(scope: Pick<Scope, 'baseUrl' | 'wmsCode'>): Environment {
  if (scope.baseUrl === embeddedBaseUrl) return 'sandbox'
  return scope.wmsCode.toUpperCase() === developmentWmsCode ? 'development' : 'production'
}

/** Returns one line that is equal exactly for equal scopes; codes compare without case, as at the service. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.baseUrl, scope.wmsCode.toUpperCase(), scope.customerCode.toUpperCase()])
}
