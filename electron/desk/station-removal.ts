import { type Scope, type ScopeKey, scopeKey } from '#shared/domain/scope.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import { forgetLogin } from './service/session.ts'

/** The key of the value that a scope has from the beginning of its removal until all its records are removed. */
const removalKey = 'removal'

type RemovalParts = Pick<DeskPorts, 'store' | 'secrets'> & Pick<DeskTuning, 'onFault'>

/**
 * Removes the login of another station, its articles and lots, its copies of shipments and labels, and all its records
 * with their PDFs. First stores that the removal has begun, so that `finishRemovals` continues an interrupted removal.
 * Throws the error of the store or of the secrets if the removal cannot begin; then only the login may be removed.
 * Reports any later failure to `onFault`.
 */
export async function forgetStation({ store, secrets, onFault }: RemovalParts, scope: Scope): Promise<void> {
  const key = scopeKey(scope)
  const values = store.valuesOf(key)
  await forgetLogin({ secrets, values }, scope)
  values.write(removalKey, 'begun')
  await attempt(() => store.removeCatalogue(key), onFault)
  await attempt(() => removeRecords({ store, onFault }, key), onFault)
}

/**
 * Continues the removals that were interrupted. Waits only for the removal of the scope `own`, and throws the error of
 * the store if it fails, because a desk must not start with a part of the records of a removed station. Reports the
 * failure of another removal to `onFault`. Call it before the desk of the scope `own` starts.
 */
export async function finishRemovals(
  { store, onFault }: Pick<RemovalParts, 'store' | 'onFault'>,
  own: Scope,
): Promise<void> {
  for (const scope of store.scopesWith(removalKey)) {
    const removal = removeRecords({ store, onFault }, scope)
    if (scope === scopeKey(own)) await removal
    else void removal.catch(onFault)
  }
}

/**
 * Removes the copies of shipments and labels and all records of a scope. Throws the error of the store if some could
 * not be removed; then the next `finishRemovals` repeats the removal.
 */
async function removeRecords(
  { store, onFault }: Pick<RemovalParts, 'store' | 'onFault'>,
  scope: ScopeKey,
): Promise<void> {
  // if the shipments cannot be removed, the other records are removed, and `removalKey` stays for the next attempt
  const failed = await store.removeRecent(scope).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const kept = await store.storage.removeScope(scope, failed ? removalKey : undefined)
  if (kept) onFault(new CataloguedError(kept.code, kept.params))
  if (failed) throw failed.error
}

/**
 * Runs a removal. Reports its failure to `onFault` and does not throw it, so that the next removal follows. A removal
 * fails, for example, if a thread still has the catalogue's files open; a later purge removes what is left in the
 * catalogue.
 */
async function attempt(remove: () => void | Promise<void>, onFault: (error: unknown) => void): Promise<void> {
  await Promise.resolve().then(remove).catch(onFault)
}
