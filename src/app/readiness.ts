import type { SteeredWindow } from './steered-window.ts'

interface ReadinessDeps {
  /** Station and operator whose work the stage shows; null: no stage is shown. */
  readonly who: () => string | null
  /** Nobody is logged in: whoever comes next begins anew, also the same one. */
  readonly isSignedOut: () => boolean
  /** Reads in what the stage shows, and forgets what another operator or station left. */
  readonly begin: () => Promise<void>
  readonly onReady: () => void
}

/** Whether the window has what a scan needs: it is read in once for each operator and station. */
export class Readiness {
  readonly #deps: ReadinessDeps
  #begunFor: string | null = null
  #reading = 0

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
  }

  get isReady(): boolean {
    const who = this.#deps.who()
    return who !== null && who === this.#begunFor && this.#reading === 0
  }

  /** Somebody logged in or out, or the station is another one. After an expired login the stage stays as it is. */
  follow(): void {
    const { who, isSignedOut } = this.#deps
    if (isSignedOut()) this.#begunFor = null
    const now = who()
    if (now !== null && now !== this.#begunFor) void this.begin()
  }

  async begin(): Promise<void> {
    this.#begunFor = this.#deps.who()
    this.#reading++
    await this.#deps.begin().catch(() => undefined)
    this.#reading--
    this.#deps.onReady()
  }
}

export function readinessOf(desk: SteeredWindow, onReady: () => void): Readiness {
  const { app } = desk
  return new Readiness({
    who: () => (app.screen === 'stage' ? `${app.station?.id ?? ''}/${app.session?.username ?? ''}` : null),
    isSignedOut: () => app.session?.state === 'signed_out',
    begin: () => readAnew(desk),
    onReady,
  })
}

async function readAnew(desk: SteeredWindow): Promise<void> {
  desk.goHome()
  desk.labels.reset()
  desk.queue.reset()
  desk.prints.reset()
  desk.search.reset()
  desk.expiring.reset()
  desk.overview.reset()
  desk.sheets.reset()
  void desk.storage.load()
  await Promise.all([desk.stage.load(), desk.modification.load(), desk.labelForm.reset()])
}
