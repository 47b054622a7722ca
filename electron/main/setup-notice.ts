import {
  type LostPart,
  lostParts,
  type ProvisioningView,
  type SettingsLoss,
  type SetupNotice,
} from '#shared/bridge/setup-views.ts'
import type { ProvisioningFileContent } from './provisioning-content.ts'
import type { SettingsStore } from './settings.ts'
import type { Settings } from './settings-schema.ts'

/**
 * If a PC's set-up file was refused, or its settings were lost, the PC was meant for real work. It starts in the
 * sandbox, which looks like a desk that is ready, so an operator could book the work of a whole shift into practice
 * data. Therefore the notice is stored in the settings, where it survives restarts and the removal of the set-up file.
 * While it is open, the login of the sandbox is not offered.
 *
 * Three actions settle the notice: the repair itself (a set-up file is applied, or a real station replaces the
 * sandbox), the choice of the sandbox in the set-up, and an operator's confirmation. An operator can confirm without an
 * administrator: a desk that is for practice, or that does not need a lost scanner, must not show an alarm for ever,
 * because people ignore an alarm that never ends.
 */
export class SetupNotices {
  readonly #settings: SettingsStore
  readonly #provisioned: ProvisioningView

  /** `provisioned`: the result of the set-up file at this start. */
  constructor(settings: SettingsStore, provisioned: ProvisioningView) {
    this.#settings = settings
    this.#provisioned = provisioned
  }

  /** Returns the notices that are neither repaired nor acknowledged. */
  read(): SetupNotice {
    const { lost, refused } = this.#settings.read()
    const isOpen = this.#provisioned.state === 'wrong' && refused !== null && !refused.isAcknowledged
    return { refused: isOpen ? this.#provisioned : null, lost }
  }

  acknowledge(): SetupNotice {
    this.#settings.update(settled(this.#settings.read()))
    return this.read()
  }
}

/**
 * Returns the changes that settle all notices. The same refused file stays acknowledged; another refused file causes a
 * new notice.
 */
export function settled({ refused }: Settings): Pick<Settings, 'lost' | 'refused'> {
  return { lost: null, refused: refused && { ...refused, isAcknowledged: true } }
}

/**
 * Returns the refusal of a file, as the settings store it. `key`: the hash of the file, or why it cannot be read. The
 * refusal is acknowledged if the user has acknowledged a refusal with the same key.
 */
export function refusedAs(before: Settings['refused'], file: string, key: string): Settings['refused'] {
  const isSame = before?.file === file && before.key === key
  return { file, key, isAcknowledged: isSame && before.isAcknowledged }
}

/**
 * Returns the parts that are still lost after a set-up file was applied: all lost parts that the file does not contain.
 * Stations always stay in the list, because this PC may have had stations that the file does not contain. Null: nothing
 * is lost.
 */
export function restoredBy(
  lost: SettingsLoss | null,
  file: string,
  content: ProvisioningFileContent,
): SettingsLoss | null {
  if (lost === null) return null
  const { stations, ...others } = content
  const named: Partial<Record<LostPart, unknown>> = { ...others, current_station: stations }
  const isNamed = (part: LostPart): boolean => named[part] !== undefined
  if (!lostParts.some(isNamed)) return lost
  const parts = lost.parts.filter((part) => !isNamed(part))
  return parts.length === 0 ? null : { ...lost, parts, restoredBy: file }
}
