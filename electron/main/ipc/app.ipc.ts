import type { Logger } from '#kit/logger.ts'
import type { AppInfo, ProvisioningView } from '#shared/bridge/views.ts'
import { ok } from '#shared/errors/result.ts'
import { bindDomain } from './bind.ts'

interface AppDomain {
  readonly info: () => AppInfo
  /** Remembered for the next start. */
  readonly setLanguage: (language: AppInfo['language']) => void
  readonly close: () => void
  readonly unsaved: (unsaved: boolean) => void
  readonly provisioning: () => ProvisioningView
}

export function bindApp(
  { info, setLanguage, close, unsaved, provisioning }: AppDomain,
  logger: Logger,
): void {
  bindDomain(
    'app',
    {
      info: () => ok(info()),
      setLanguage: ({ language }) => {
        setLanguage(language)
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
    },
    logger,
  )
}
