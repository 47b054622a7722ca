import type { Logger } from '#kit/logger.ts'
import { appSettingNames, type AppSettings, setterName, type SetterName } from '#shared/bridge/pc-settings.ts'
import type { ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { AppInfo } from '#shared/bridge/views.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { SetupNotices } from '../setup-notice.ts'
import { bindDomain } from './bind.ts'

interface AppDomain {
  readonly info: () => AppInfo
  /** Holds at once, and is remembered for the next start. */
  readonly change: (settings: Partial<AppSettings>) => void
  readonly close: () => void
  readonly unsaved: (unsaved: boolean) => void
  readonly provisioning: () => ProvisioningView
  readonly notices: SetupNotices
}

export function bindApp(
  { info, change, close, unsaved, provisioning, notices }: AppDomain,
  logger: Logger,
): void {
  const set = (settings: Partial<AppSettings>): Result<AppInfo> => {
    change(settings)
    return ok(info())
  }
  const setters = Object.fromEntries(appSettingNames.map((name) => [setterName(name), set])) as Record<
    SetterName,
    typeof set
  >
  bindDomain(
    'app',
    {
      info: () => ok(info()),
      ...setters,
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
    },
    logger,
  )
}
