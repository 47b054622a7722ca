import { ArticleState } from '#features/article/article.state.svelte.ts'
import { OverviewState } from '#features/catalogue/overview.state.svelte.ts'
import { ExpiringState } from '#features/expiring/expiring.state.svelte.ts'
import type { LabelFormSubject } from '#features/labels/form-subject.ts'
import { LabelFormState } from '#features/labels/label-form.state.svelte.ts'
import { LabelsState } from '#features/labels/labels.state.svelte.ts'
import { LocationsState } from '#features/locations/locations.state.svelte.ts'
import { LoginState } from '#features/login/login.state.svelte.ts'
import { ModificationState } from '#features/modification/modification.state.svelte.ts'
import { PrintsState } from '#features/prints/prints.state.svelte.ts'
import { QueueState } from '#features/queue/queue.state.svelte.ts'
import { SearchState } from '#features/search/search.state.svelte.ts'
import { SetupState } from '#features/setup/setup.state.svelte.ts'
import { SheetsState } from '#features/sheets/sheets.state.svelte.ts'
import { type StageDeps, StageState } from '#features/stage/stage.state.svelte.ts'
import { StorageState } from '#features/storage/storage.state.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueEdit } from '#shared/bridge/queue-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { Closing, SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { HidScanners } from '#scanner/hid-scanners.svelte.ts'
import type { Sound } from '#scanner/sound.ts'
import { AppState } from './app-state.svelte.ts'
import { LeaveState } from './leave.state.svelte.ts'
import { Notices } from './notices.svelte.ts'
import { type Place, Places } from './places.svelte.ts'

const nobody: SessionView = {
  state: 'signed_out',
  username: null,
  roles: [],
  customer: null,
  keepsLogin: true,
}

/** Everything this window knows: each state made once, and told which ways of the window lead out of it. */
export abstract class WindowParts {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  readonly places = new Places()
  readonly notices = new Notices(() => this.#screenName())
  readonly hid = new HidScanners()
  readonly app: AppState
  readonly login: LoginState
  readonly setup: SetupState
  readonly stage: StageState
  readonly article: ArticleState
  readonly modification: ModificationState
  readonly locations: LocationsState
  readonly labels: LabelsState
  readonly labelForm: LabelFormState
  readonly queue: QueueState
  readonly prints: PrintsState
  readonly leave: LeaveState
  readonly search: SearchState
  readonly expiring: ExpiringState
  readonly overview: OverviewState
  readonly storage: StorageState
  readonly sheets: SheetsState
  readonly #session = (): SessionView => this.app.session ?? nobody

  constructor(bridge: ScandeskBridge, play: (sound: Sound) => void) {
    this.bridge = bridge
    this.play = play
    this.app = new AppState(bridge, () => {
      this.onMoved()
    })
    const session = this.#session
    this.login = new LoginState(bridge, (signedIn) => {
      this.app.signedIn(signedIn)
    })
    this.leave = new LeaveState({ bridge, play })
    this.setup = new SetupState(
      bridge,
      () => void this.app.stationUsed(),
      (go) => {
        this.leave.ask('station', this.unsent, go)
      },
    )
    this.stage = this.#makeStage()
    this.article = new ArticleState({ bridge, session })
    this.modification = this.#makeModification()
    this.locations = new LocationsState({ bridge, play })
    this.labels = new LabelsState({
      bridge,
      onShow: (labelId) => {
        this.showLabel(labelId)
      },
    })
    this.labelForm = this.#makeLabelForm()
    this.queue = new QueueState({
      bridge,
      play,
      onEdit: (edit) => {
        this.openEdit(edit)
      },
      onScanned: (outcome) => {
        this.stage.note(outcome)
      },
    })
    this.prints = new PrintsState({
      bridge,
      play,
      onLabel: (labelId) => {
        this.showLabel(labelId)
      },
    })
    const onShow = (variant: VariantView): void => {
      this.showArticle(variant)
    }
    const onCode = (code: string): void => {
      this.lookUp(code)
    }
    this.search = new SearchState({ bridge, onShow, onCode })
    this.expiring = new ExpiringState({ bridge, session, onShow, onCode })
    this.overview = new OverviewState(bridge)
    this.storage = new StorageState(bridge)
    this.sheets = this.#makeSheets()
  }

  #makeSheets(): SheetsState {
    return new SheetsState({
      bridge: this.bridge,
      session: this.#session,
      station: () => this.app.station,
      onStation: (station) => {
        this.app.stationChanged(station)
      },
    })
  }

  #makeStage(): StageState {
    return new StageState({
      ...this.#common(),
      isShown: () => this.place.kind === 'stage',
      openForm: (subject) => {
        this.openForm(subject)
      },
      onBooking: (id) => {
        this.takeBack(id)
      },
    })
  }

  #makeModification(): ModificationState {
    return new ModificationState({
      ...this.#common(),
      onElsewhere: (outcome) => {
        this.places.go({ kind: 'stage' })
        this.stage.take(outcome)
      },
      onScanned: (outcome) => {
        this.stage.note(outcome)
      },
    })
  }

  #makeLabelForm(): LabelFormState {
    return new LabelFormState({
      bridge: this.bridge,
      session: this.#session,
      play: this.play,
      onDone: (label) => {
        this.showMade(label)
      },
      onCancel: () => {
        this.goBack()
      },
    })
  }

  /** What the states share that scans go to. */
  #common(): Pick<StageDeps, 'bridge' | 'session' | 'play' | 'onCommand' | 'onRefused'> {
    const { bridge, play } = this
    return {
      bridge,
      session: this.#session,
      play,
      onCommand: (command) => {
        this.run(command)
      },
      onRefused: (command) => {
        this.refuse(command)
      },
    }
  }

  get place(): Place {
    return this.places.now
  }

  /** What would be left behind unsent. */
  get unsent(): Closing {
    const { waiting = 0, asking = 0 } = this.app.status?.unsent ?? {}
    return { waiting, asking }
  }

  /** The place, and in a list of entries which of them is open. */
  #screenName(): string {
    const { kind } = this.places.now
    const queued = kind === 'queue' ? this.queue.opened?.key : undefined
    const printed = kind === 'prints' ? this.prints.opened?.jobId : undefined
    return [this.app.screen, kind, queued ?? printed ?? ''].join(' ')
  }

  /** Another screen may be due, or another operator or station is here. */
  protected abstract onMoved(): void
  abstract run(command: Command): void
  abstract refuse(command: Command): void
  abstract goBack(): void
  abstract lookUp(code: string): void
  abstract openEdit(edit: QueueEdit): void
  abstract openForm(subject: LabelFormSubject): void
  abstract showArticle(variant: VariantView): void
  abstract showLabel(labelId: string): void
  abstract showMade(label: ReturnLabelView): void
  abstract takeBack(id: string): void
}
