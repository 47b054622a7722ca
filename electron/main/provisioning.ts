import { createHash } from 'node:crypto'
import type { ProvisioningFault, ProvisioningProblem, ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { findProvisioning } from './provisioning-file.ts'
import { findJsonFault } from './provisioning-json.ts'
import { planProvisioning } from './provisioning-plan.ts'
import { problemAt, problemsOf } from './provisioning-problems.ts'
import { provisioningFile, type ProvisioningFileContent } from './provisioning-schema.ts'
import type { SettingsStore } from './settings.ts'
import { refusedAs, restoredBy } from './setup-notice.ts'

/**
 * Takes over a provisioning file: all of it or nothing, and only if it is not the one that was taken last, so that what
 * somebody changed here since then stays. A refusal is kept in the settings until it is settled (see `setup-notice.ts`),
 * so that a file that has vanished since is not forgotten. `now` in milliseconds since 1970. Never throws.
 */
export function provision(
  settings: SettingsStore,
  found: ReturnType<typeof findProvisioning>,
  now: () => number = Date.now,
): ProvisioningView {
  const before = settings.read()
  const { provisioned: last, refused } = before
  const at = last?.at ?? null
  if (!found && (!refused || refused.isAcknowledged)) return { file: null, state: 'none', problems: [], at }
  if (!found) return { file: refused?.file ?? null, state: 'wrong', problems: [wholeFile('gone')], at }
  const file = found.path
  const hash = 'cause' in found ? found.cause : createHash('sha256').update(found.bytes).digest('hex')
  const applied = { file, state: 'applied' as const, problems: [] }
  if (last?.hash === hash) {
    if (refused) settings.update({ refused: null })
    return { ...applied, at }
  }
  const plan = 'cause' in found ? { problems: [unreadable(found)] } : planOf(found.bytes, settings, now())
  if ('problems' in plan) {
    settings.update({ refused: refusedAs(refused, file, hash) })
    return { file, state: 'wrong', problems: [...plan.problems], at }
  }
  const provisioned = { hash, at: new Date(now()).toISOString() }
  const lost = restoredBy(before.lost, file, plan.content)
  settings.update({ ...plan.change, provisioned, refused: null, lost })
  return { ...applied, at: provisioned.at }
}

type Plan = ReturnType<typeof planProvisioning>

function planOf(
  bytes: Uint8Array,
  settings: SettingsStore,
  nowMs: number,
):
  | Extract<Plan, { problems: unknown }>
  | (Extract<Plan, { change: unknown }> & { readonly content: ProvisioningFileContent }) {
  const raw = parse(bytes)
  if ('problem' in raw) return { problems: [raw.problem] }
  const problems = problemsOf(raw.value)
  if (problems.length > 0) return { problems }
  const content = provisioningFile.parse(raw.value)
  const plan = planProvisioning(content, settings.read(), nowMs)
  return 'problems' in plan ? plan : { ...plan, content }
}

function parse(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: ProvisioningProblem } {
  let text: string
  try {
    // a byte order mark is no part of JSON; the decoder leaves it out
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { problem: wholeFile('not_text') }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: wholeFile('not_json', { ...(findJsonFault(text) ?? { line: 1, column: 1 }) }) }
  }
}

const causes: Partial<Record<string, ProvisioningFault>> = {
  ENOENT: 'not_there',
  ENOTDIR: 'not_there',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
  no_file: 'not_a_file',
  too_large: 'too_large',
  not_protected: 'not_protected',
  not_own: 'not_own',
  rights_unknown: 'rights_unknown',
}

function unreadable({ cause, place }: { cause: string; place?: string }): ProvisioningProblem {
  return wholeFile(causes[cause] ?? 'unreadable', { cause, ...(place === undefined ? {} : { place }) })
}

function wholeFile(code: ProvisioningFault, params: ProvisioningProblem['params'] = {}): ProvisioningProblem {
  return problemAt(null, [], code, params)
}
