import type { Logger } from '#kit/logger.ts'
import type { AppInfo } from '#shared/bridge/views.ts'
import { ok } from '#shared/errors/result.ts'
import { bindDomain } from './bind.ts'

/** `setLanguage` is remembered for the next start. */
export function bindApp(
  info: () => AppInfo,
  setLanguage: (language: AppInfo['language']) => void,
  close: () => void,
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
    },
    logger,
  )
}
