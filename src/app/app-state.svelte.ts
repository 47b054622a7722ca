import { untrack } from 'svelte'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import { channels } from '#shared/bridge/channels.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SettingsChange } from '#shared/bridge/pc-settings.ts'
import type { SetupNotice } from '#shared/bridge/setup-views.ts'
import type { AppInfo, DeskStatus, SessionView, StationView } from '#shared/bridge/views.ts'
import { type Language, nextLanguage } from '#shared/domain/languages.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { language, useLanguage } from './language.svelte.ts'

export type Screen = 'starting' | 'login' | 'setup' | 'stage'

/** Station, operator and status of this window, and the screen to show for them. */
export class AppState {
  /**
   * The bridge for all other parts of the window. Each call contains the station that the window shows, so that main
   * does nothing at another station. If main refuses a call for this reason, the window reads its state again.
   */
  readonly bridge: ScandeskBridge
  /** The bridge without the check of the station: for the state of this window and the settings of this PC. */
  readonly #bridge: ScandeskBridge
  #info = $state.raw<AppInfo | null>(null)
  #station = $state.raw<StationView | null>(null)
  #session = $state.raw<SessionView | null>(null)
  /** Number of sessions that events, logins and logouts have set. It shows whether a session that was read is older. */
  #sessions = 0
  #status = $state.raw<DeskStatus | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #open = $state<'login' | 'setup' | null>(null)
  /** `login` if the set-up was opened from the login screen, otherwise null. */
  #behind = $state<'login' | null>(null)
  /**
   * Number of loads under way. Not reactive, because the effect that starts a load must not run again when the number
   * changes.
   */
  #loads = 0
  #suggested = false
  readonly #onMoved: () => void

  /** @param onMoved - called when the screen may have to change, or when the operator or the station changed. */
  constructor(bridge: ScandeskBridge, onMoved: () => void = () => undefined) {
    this.#bridge = bridge
    this.bridge = forStation(
      bridge,
      () => this.stationId(),
      () => {
        if (!this.loading) void this.load()
      },
    )
    this.#onMoved = onMoved
  }

  get info(): AppInfo | null {
    return this.#info
  }
  get station(): StationView | null {
    return this.#station
  }
  /**
   * Returns the id of the station that the window shows; undefined before it is read. Not reactive, because an effect
   * that makes a call must not run again when the station changes.
   */
  stationId(): string | undefined {
    return untrack(() => this.#station?.id)
  }
  get session(): SessionView | null {
    return this.#session
  }
  get status(): DeskStatus | null {
    return this.#status
  }
  /** Settings of this PC that were refused or lost; null if there are none or the operator acknowledged the notice. */
  get notice(): SetupNotice | null {
    const { refused = null, lost = null } = this.#notice ?? {}
    return refused || lost ? this.#notice : null
  }
  /**
   * Whether the sandbox is open while there is a notice about refused or lost settings. Operators then cannot work,
   * even if a login to the sandbox is still valid, because the sandbox is possibly open in place of a refused or lost
   * station.
   */
  get isHeld(): boolean {
    return this.notice !== null && this.#station?.environment === 'sandbox'
  }
  /** Why the last read of the state of this window failed; null if it did not fail. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Whether station, session and status are being read. Meanwhile the window may show another station's data. */
  get loading(): boolean {
    return this.#loads > 0
  }

  /**
   * The screen to show. After the session expires, the stage stays open: the operator can still scan, and writes wait
   * in the queue.
   */
  get screen(): Screen {
    return this.#open === 'setup' ? 'setup' : this.#screenUnder(this.#open)
  }
  /**
   * Returns the screen to which one step back leads; null if there is none. From the set-up, this is the screen from
   * which the set-up was opened.
   */
  get behind(): Screen | null {
    if (this.#open === 'setup') return this.#screenUnder(this.#behind)
    if (this.isHeld) return null
    return this.#open === 'login' && this.#session?.state === 'expired' ? 'stage' : null
  }

  #screenUnder(open: 'login' | null): Screen {
    if (!this.#station || !this.#session) return 'starting'
    if (this.isHeld) return 'login'
    return this.#session.state === 'signed_out' || open === 'login' ? 'login' : 'stage'
  }

  /** Loads the state and follows events until the returned function is called. */
  start(): () => void {
    const stops = [
      this.#bridge.on('session', (session) => {
        this.#takeSession(session)
        this.#onMoved()
      }),
      this.#bridge.on('status', (status) => {
        this.#status = status
      }),
    ]
    void this.load()
    return () => {
      for (const stop of stops) stop()
    }
  }

  async load(): Promise<void> {
    this.#loads++
    try {
      await this.#read()
    } finally {
      this.#loads--
      this.#onMoved()
    }
  }

  async #read(): Promise<void> {
    const { app, station, session, desk } = this.#bridge
    const [info, notice, current, state, status] = await Promise.all([
      app.info(),
      app.setupNotice(),
      station.current(),
      // a login may end while the other calls are under way, and its session is newer than this one
      session.state().then((result) => ({ ...result, at: this.#sessions })),
      desk.status(),
    ])
    if (info.ok) this.#takeInfo(info.value)
    if (notice.ok) this.#notice = notice.value
    if (state.ok && state.at === this.#sessions) this.#session = state.value
    // the session of the previous station is not valid at another station, so it is removed
    else if (!state.ok && current.ok && current.value.id !== this.#station?.id) this.#session = null
    if (current.ok) this.#takeStation(current.value)
    if (status.ok) this.#status = status.value
    if (info.ok && current.ok) this.#suggest(info.value.suggestedServer, current.value)
    this.#failure = [info, notice, current, state, status].find((result) => !result.ok)?.error ?? null
  }

  /** Acknowledges the notice about lost or refused settings, because the operator continues without them. */
  async acknowledgeSetup(): Promise<void> {
    const result = await this.#bridge.app.acknowledgeSetup()
    if (!result.ok) return
    this.#notice = result.value
    this.#onMoved()
  }

  async switchLanguage(): Promise<void> {
    await this.speak(nextLanguage(language()))
  }

  async speak(language: Language): Promise<void> {
    await this.change({ language })
  }

  /** Changes settings of this PC. Returns the failure if main did not save them, otherwise null. */
  async change(settings: SettingsChange): Promise<Failure | null> {
    const result = await this.#bridge.app.change(settings)
    if (result.ok) this.#takeInfo(result.value)
    return result.ok ? null : result.error
  }

  async logout(): Promise<void> {
    this.#open = null
    const result = await this.bridge.session.logout()
    if (!result.ok) return
    // `#open` is not reset here: the event about the logout arrived before this result, and the operator may have
    // opened the set-up since then
    this.#takeSession(result.value)
    this.#onMoved()
    void this.#refreshStatus()
  }

  signedIn(session: SessionView): void {
    this.#takeSession(session)
    this.#open = null
    this.#onMoved()
    void this.#refreshStatus()
  }

  openSetup(): void {
    if (this.#open !== 'setup') this.#behind = this.#open
    this.#open = 'setup'
    this.#onMoved()
  }

  openLogin(): void {
    this.#open = 'login'
    this.#onMoved()
  }

  /** Goes one step back, to the screen that `behind` returns. */
  back(): void {
    this.#open = this.#open === 'setup' ? this.#behind : null
    this.#onMoved()
  }

  /** Closes the login or the set-up, so that the stage is shown. */
  openStage(): void {
    this.#open = null
    this.#onMoved()
  }

  /**
   * Called after another station was opened. Closes the login and the set-up, and reads the state of the window again.
   */
  async stationUsed(): Promise<void> {
    this.#open = null
    await this.load()
  }

  /** Takes the changed settings of the open station; ignores those of another station. */
  stationChanged(station: StationView): void {
    if (station.id === this.#station?.id) this.#takeStation(station)
  }

  #takeSession(session: SessionView): void {
    this.#sessions += 1
    this.#session = session
  }

  #takeStation(station: StationView): void {
    this.#station = station
    useCommandsOf(station)
  }

  async #refreshStatus(): Promise<void> {
    const status = await this.#bridge.desk.status()
    if (status.ok) this.#status = status.value
  }

  /**
   * Opens the set-up once, to offer the server named on the command line. Does nothing if the open station uses that
   * server.
   */
  #suggest(server: string | null, station: StationView): void {
    if (this.#suggested || server === null || station.baseUrl === server) return
    this.#suggested = true
    this.#open = 'setup'
  }

  #takeInfo(info: AppInfo): void {
    this.#info = info
    useLanguage(info.settings.language)
  }
}

type Call = (args: unknown, station?: string) => Promise<Result<unknown>>
type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>

/**
 * Returns a bridge that adds a station id to each call that has none: the id that `station` returns at the time of the
 * call. Calls `onChanged` if main refused a call because another station is open.
 */
function forStation(
  bridge: ScandeskBridge,
  station: () => string | undefined,
  onChanged: () => void,
): ScandeskBridge {
  // the cast is safe, because every function of the bridge has the two parameters of `Call`: the arguments and the
  // station
  const calls = bridge as unknown as Calls
  const refused = (result: Result<unknown>): void => {
    if (!result.ok && result.error.code === 'station.changed') onChanged()
  }
  const callOf = (domain: string, method: string): Call => {
    return (args, at = station()) => {
      const call = calls[domain]?.[method]
      if (!call) throw new Error(`the bridge has no ${domain}.${method}`)
      const answer = call(args, at)
      void answer.then(refused, () => undefined)
      return answer
    }
  }
  const domains = Object.entries(channels).map(([domain, methods]) => {
    return [domain, Object.fromEntries(methods.map((method) => [method, callOf(domain, method)]))] as const
  })
  return { ...(Object.fromEntries(domains) as unknown as ScandeskBridge), on: bridge.on }
}
