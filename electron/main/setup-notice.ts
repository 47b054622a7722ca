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
 * The notice about a set-up file that was refused, or about settings that were lost. A PC with such a notice was meant
 * for real work, but it starts in the sandbox, which looks like a desk that is ready. So an operator could book the
 * work of a whole shift into practice data. Therefore the notice is stored in the settings, where it survives restarts
 * and the removal of the set-up file. While the notice is open, the window does not offer the login of the sandbox.
 *
 * Three actions settle the notice: the repair (a set-up file is applied, or a real station replaces the sandbox), the
 * choice of the sandbox in the set-up, and an operator's confirmation. The confirmation needs no administrator, because
 * the desk may be meant for practice, or the desk may not need the scanner whose settings were lost. Such a desk must
 * not show an alarm for ever, because people ignore an alarm that never ends.
 */
export class SetupNotices {
  readonly #settings: SettingsStore
  readonly #provisioned: ProvisioningView

  /** `provisioned`: the set-up file that this start found, and whether it was applied or refused. */
  constructor(settings: SettingsStore, provisioned: ProvisioningView) {
    this.#settings = settings
    this.#provisioned = provisioned
  }

  /** Returns a refused set-up file and lost settings, until they are repaired or acknowledged. */
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
 * Returns the changes of the settings that acknowledge all notices: about lost settings and about a refused set-up
 * file. If the same set-up file is refused again unchanged, there is no new notice; any other refused set-up file
 * causes one.
 */
export function settled({ refused }: Settings): Pick<Settings, 'lost' | 'refused'> {
  return { lost: null, refused: refused && { ...refused, isAcknowledged: true } }
}

/**
 * Returns the entry of the settings for a refused file. `key`: the hash of the file, or why it cannot be read. The
 * entry counts as acknowledged if the user acknowledged an earlier refusal of the file with the same key.
 */
export function refusedAs(before: Settings['refused'], file: string, key: string): Settings['refused'] {
  const isSame = before?.file === file && before.key === key
  return { file, key, isAcknowledged: isSame && before.isAcknowledged }
}

/**
 * Returns what is still lost after a set-up file was applied: all lost parts that the file does not contain. Null:
 * nothing is lost any more. The part `stations` stays lost even if the file contains stations, because this PC may have
 * had more.
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
