import { type ErrorCode, type ErrorParams, type Failure, failure } from './catalogue.ts'

/** The result of a step that may fail, also across the bridge (SECURITY.md, the bridge). */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure }

export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function fail<T = never>(code: ErrorCode, params: ErrorParams = {}): Result<T> {
  return { ok: false, error: failure(code, params) }
}

/** A catalogued failure as an exception, for code that cannot return a failure. The bridge catches it. */
export class CataloguedError extends Error {
  readonly failure: Failure
  constructor(code: ErrorCode, params: ErrorParams = {}, options?: ErrorOptions) {
    super(code, options)
    this.name = 'CataloguedError'
    this.failure = failure(code, params)
  }
}
