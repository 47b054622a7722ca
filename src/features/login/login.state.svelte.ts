import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SessionView, StationView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The login form: its input, whether a login is under way, and its failure. */
export class LoginState {
  username = $state('')
  password = $state('')
  readonly #bridge: ScandeskBridge
  readonly #onSession: (session: SessionView) => void
  #busy = $state(false)
  #failure = $state.raw<Failure | null>(null)
  #scanned = $state(false)
  #hasBadge = $state(false)
  /** Id of the station for which the login is typed. */
  #stationId: string | null = null

  constructor(bridge: ScandeskBridge, onSession: (session: SessionView) => void) {
    this.#bridge = bridge
    this.#onSession = onSession
  }

  get busy(): boolean {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Whether a code was scanned before the login. */
  get scanned(): boolean {
    return this.#scanned
  }
  /** Whether the user name was scanned from a badge. */
  get hasBadge(): boolean {
    return this.#hasBadge
  }
  get complete(): boolean {
    return this.username.trim() !== '' && this.password !== ''
  }

  /**
   * Fills in the login of the sandbox. For any other station the form starts empty. After a visit to the set-up, the
   * user name is kept and the password must be typed again.
   */
  prefill(station: StationView): void {
    const isSame = station.id === this.#stationId
    this.#stationId = station.id
    if (isSame && station.demoLogin === null) {
      this.password = ''
      return
    }
    this.username = station.demoLogin?.username ?? ''
    this.password = station.demoLogin?.password ?? ''
    this.#failure = null
    this.#scanned = false
    this.#hasBadge = false
  }

  noteScan(): void {
    this.#scanned = true
    this.#hasBadge = false
  }

  /** A scanned badge fills in the user name; the password is still required. */
  takeBadge(username: string): void {
    if (this.#busy) return
    if (username !== this.username) this.password = ''
    this.username = username
    this.#failure = null
    this.#scanned = false
    this.#hasBadge = true
  }

  /**
   * Deletes the password, and lets the next call of `prefill` start from the beginning. Called after a login, and when
   * the operator leaves the login or may not log in yet.
   */
  leave(): void {
    this.#stationId = null
    this.password = ''
  }

  async submit(): Promise<void> {
    if (this.#busy || !this.complete) return
    this.#busy = true
    this.#failure = null
    const { username, password } = this
    const credentials = { username: username.trim(), password }
    // the call contains the id of the station for which the login was typed, because no other station's server may get
    // the password, even if the window shows another station by now
    const result = await this.#bridge.session.login(credentials, this.#stationId ?? undefined)
    this.#busy = false
    this.#scanned = false
    this.#hasBadge = false
    if (!result.ok) {
      this.#failure = result.error
      return
    }
    this.leave()
    this.#onSession(result.value)
  }
}
