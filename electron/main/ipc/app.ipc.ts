import type { SettingsChange } from '#shared/bridge/pc-settings.ts'
import type { ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { AppInfo } from '#shared/bridge/views.ts'
import { ok } from '#shared/errors/result.ts'
import type { SetupNotices } from '../setup-notice.ts'
import type { Handlers } from './bind.ts'

interface AppDomain {
  readonly info: () => AppInfo
  /** Applies the change at once and stores it for the next start. */
  readonly change: (settings: SettingsChange) => void
  readonly close: () => void
  readonly unsaved: (unsaved: boolean) => void
  readonly provisioning: () => ProvisioningView
  readonly notices: SetupNotices
}

export function appHandlers({
  info,
  change,
  close,
  unsaved,
  provisioning,
  notices,
}: AppDomain): Handlers<'app'> {
  return {
    info: () => ok(info()),
    change: (settings) => {
      change(settings)
      return ok(info())
    },
    close: () => {
      close()
      return ok(undefined)
    },
    unsaved: (holds) => {
      unsaved(holds.unsaved)
      return ok(undefined)
    },
    provisioning: () => ok(provisioning()),
    setupNotice: () => ok(notices.read()),
    acknowledgeSetup: () => ok(notices.acknowledge()),
  }
}
