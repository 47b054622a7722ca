import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { ProvisioningView } from '#shared/bridge/views.ts'
import type { findProvisioning } from './provisioning-file.ts'
import { planProvisioning } from './provisioning-plan.ts'
import { provisioningFile } from './provisioning-schema.ts'
import type { SettingsStore } from './settings.ts'

type Problem = ProvisioningView['problems'][number]

/**
 * Takes over a provisioning file: all of it or nothing, and only if it is not the one that was taken last, so that what
 * somebody changed here since then stays. `now` in milliseconds since 1970. Never throws.
 */
export function provision(
  settings: SettingsStore,
  found: ReturnType<typeof findProvisioning>,
  now: () => number = Date.now,
): ProvisioningView {
  const before = settings.read()
  const last = before.provisioned
  const at = last?.at ?? null
  if (!found) return { file: null, state: 'none', problems: [], at }
  const file = found.path
  const wrong = (problems: Problem[]): ProvisioningView => ({ file, state: 'wrong', problems, at })
  if ('cause' in found) return wrong([{ path: '', message: `cannot be read: ${found.cause}` }])
  const hash = createHash('sha256').update(found.bytes).digest('hex')
  if (last?.hash === hash) return { file, state: 'applied', problems: [], at }
  const raw = parse(found.bytes)
  if (raw === null) return wrong([{ path: '', message: 'is no JSON' }])
  const parsed = provisioningFile.safeParse(raw.value)
  const problems = parsed.success ? unknownKeys(raw.value, parsed.data) : parsed.error.issues.map(toProblem)
  if (!parsed.success || problems.length > 0) return wrong(problems)
  const plan = planProvisioning(parsed.data, before)
  if ('problems' in plan) return wrong([...plan.problems])
  const provisioned = { hash, at: new Date(now()).toISOString() }
  settings.update({ ...plan.change, provisioned })
  return { file, state: 'applied', problems: [], at: provisioned.at }
}

/** Null: it is no JSON. */
function parse(bytes: Uint8Array): { readonly value: unknown } | null {
  try {
    // a byte order mark is no part of JSON; the decoder leaves it out
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return null
  }
}

function toProblem({ path, message }: z.core.$ZodIssue): Problem {
  return { path: path.map(String).join('.'), message }
}

/** Whatever of the file the schema does not name: a word that was misspelt must not be passed over. */
function unknownKeys(raw: unknown, known: unknown, path: readonly string[] = []): Problem[] {
  if (typeof raw !== 'object' || raw === null) return []
  const fields = new Map(Object.entries(known ?? {}))
  return Object.entries(raw).flatMap(([key, value]) => {
    const here = [...path, key]
    if (!fields.has(key)) return [{ path: here.join('.'), message: 'is not known here' }]
    return unknownKeys(value, fields.get(key), here)
  })
}
