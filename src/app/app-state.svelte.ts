import { useCommandsOf } from '#place/station-commands.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SettingsChange } from '#shared/bridge/pc-settings.ts'
import type { SetupNotice } from '#shared/bridge/setup-views.ts'
import type { AppInfo, DeskStatus, SessionView, StationView } from '#shared/bridge/views.ts'
import { type Language, nextLanguage } from '#shared/domain/languages.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { language, useLanguage } from './language.svelte.ts'

export type Screen = 'starting' | 'login' | 'setup' | 'stage'

/** Who works where, and which screen that asks for. */
export class AppState {
  readonly #bridge: ScandeskBridge
  #info = $state.raw<AppInfo | null>(null)
  #station = $state.raw<StationView | null>(null)
  #session = $state.raw<SessionView | null>(null)
  #status = $state.raw<DeskStatus | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #open = $state<'login' | 'setup' | null>(null)
  /** What the set-up was opened over. */
  #behind = $state<'login' | null>(null)
  /** Readings of everything under way; nothing draws by it, and the effect that starts them must not follow it. */
  #loads = 0
  #suggested = false
  readonly #onMoved: () => void

  /** `onMoved`: another screen may be due, or another operator or station is here. */
  constructor(bridge: ScandeskBridge, onMoved: () => void = () => undefined) {
    this.#bridge = bridge
    this.#onMoved = onMoved
  }

  get info(): AppInfo | null {
    return this.#info
  }
  get station(): StationView | null {
    return this.#station
  }
  get session(): SessionView | null {
    return this.#session
  }
  get status(): DeskStatus | null {
    return this.#status
  }
  /** What was refused or lost of the set-up of this PC; null: nothing, or it is settled. */
  get notice(): SetupNotice | null {
    const { refused = null, lost = null } = this.#notice ?? {}
    return refused || lost ? this.#notice : null
  }
  /** The sandbox is all that is left: it is no place to work at, whoever was logged in there. */
  get isHeld(): boolean {
    return this.notice !== null && this.#station?.environment === 'sandbox'
  }
  /** Why the last start or change of station failed. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Station, session and status are being read: what is shown may be another station's. */
  get loading(): boolean {
    return this.#loads > 0
  }

  /** An expired session keeps the stage: scanning and queueing go on, only sending waits. */
  get screen(): Screen {
    return this.#open === 'setup' ? 'setup' : this.#screenUnder(this.#open)
  }
  /** Where one step back leads; null: there is none. From the set-up it leads to where that was opened. */
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

  /** Loads everything and follows events until the returned function is called. */
  start(): () => void {
    const stops = [
      this.#bridge.on('session', (session) => {
        this.#session = session
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
      session.state(),
      desk.status(),
    ])
    if (info.ok) this.#takeInfo(info.value)
    if (notice.ok) this.#notice = notice.value
    if (current.ok) this.#takeStation(current.value)
    if (state.ok) this.#session = state.value
    if (status.ok) this.#status = status.value
    if (info.ok && current.ok) this.#suggest(info.value.suggestedServer, current.value)
    this.#failure = [info, notice, current, state, status].find((result) => !result.ok)?.error ?? null
  }

  /** The operator works without what was lost or refused. */
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

  /** Changes settings of this PC. */
  async change(settings: SettingsChange): Promise<Failure | null> {
    const result = await this.#bridge.app.change(settings)
    if (result.ok) this.#takeInfo(result.value)
    return result.ok ? null : result.error
  }

  async logout(): Promise<void> {
    this.#open = null
    const result = await this.#bridge.session.logout()
    if (!result.ok) return
    // the event came first, and somebody may be in the set-up already
    this.#session = result.value
    this.#onMoved()
    void this.#refreshStatus()
  }

  signedIn(session: SessionView): void {
    this.#session = session
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

  /** One step back, see `behind`. */
  back(): void {
    this.#open = this.#open === 'setup' ? this.#behind : null
    this.#onMoved()
  }

  /** Closes whatever stands before the stage. */
  openStage(): void {
    this.#open = null
    this.#onMoved()
  }

  /** Another station means another session and other numbers. */
  async stationUsed(): Promise<void> {
    this.#open = null
    await this.load()
  }

  /** The station that is open was changed; it stays the same one. */
  stationChanged(station: StationView): void {
    if (station.id === this.#station?.id) this.#takeStation(station)
  }

  #takeStation(station: StationView): void {
    this.#station = station
    useCommandsOf(station)
  }

  async #refreshStatus(): Promise<void> {
    const status = await this.#bridge.desk.status()
    if (status.ok) this.#status = status.value
  }

  /** A server named on the command line is offered once, and only where it is not the one in use. */
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
