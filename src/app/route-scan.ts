import type { LoginState } from '#features/login/login.state.svelte.ts'
import type { StageState } from '#features/stage/stage.state.svelte.ts'
import type { SoundPlayer } from '#scanner/sound.ts'
import { parseCommand } from '#shared/domain/commands.ts'
import type { AppState } from './app-state.svelte.ts'

interface Places {
  readonly app: AppState
  readonly login: LoginState
  readonly stage: StageState
  readonly sounds: SoundPlayer
}

/**
 * Sends a scan to the screen that is open. Before a login only command barcodes do something: a parcel's code
 * belongs to a customer, and nobody has said which.
 */
export function routeScan(raw: string, { app, login, stage, sounds }: Places): void {
  if (app.screen === 'stage') {
    void stage.submit(raw)
    return
  }
  const command = parseCommand(raw)
  if (command === 'LANGUAGE') {
    sounds.play('done')
    void app.switchLanguage()
  } else if (command === 'PRIMARY' && app.screen === 'login') {
    void login.submit()
  } else if (command === 'HOME' && app.screen === 'setup') {
    app.back()
  } else {
    login.noteScan()
    sounds.play('look')
  }
}
