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
 * A PC whose set-up file was refused, or whose settings were lost, was meant for real work. Such a PC starts in the
 * sandbox, which looks like a desk that is ready, so an operator could book a shift into practice data. So the notice
 * is stored in the settings, where it survives restarts and the removal of the set-up file, and the sandbox's login is
 * not offered while it is open.
 * The notice is settled by the repair itself (a set-up file that is applied, a real station that replaces the sandbox),
 * by choosing the sandbox in the set-up, or by an operator who confirms the consequence. The last way must be possible
 * without an administrator: a desk that practises on purpose, or one whose lost scanner is not needed, must not show an
 * alarm for ever, because people stop reading alarms that stay.
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

/** Returns the changes that settle all notices. The same refused file stays acknowledged, another one does not. */
export function settled({ refused }: Settings): Pick<Settings, 'lost' | 'refused'> {
  return { lost: null, refused: refused && { ...refused, isAcknowledged: true } }
}

/**
 * Returns the refusal of a file. `key`: the hash of the file, or why it cannot be read. Acknowledged if the same
 * refusal has been.
 */
export function refusedAs(before: Settings['refused'], file: string, key: string): Settings['refused'] {
  const isSame = before?.file === file && before.key === key
  return { file, key, isAcknowledged: isSame && before.isAcknowledged }
}

/**
 * Returns the parts that are still lost after a set-up file was applied: all that it does not contain. Stations stay on
 * the list, because others than those of the file may have been set up here. Null: nothing is lost.
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
