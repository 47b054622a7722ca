import type { ExpiringState } from '#features/expiring/expiring.state.svelte.ts'
import type { OverviewState } from '#features/catalogue/overview.state.svelte.ts'
import type { LabelFormSubject } from '#features/labels/form-subject.ts'
import type { LabelFormState } from '#features/labels/label-form.state.svelte.ts'
import type { LabelsState } from '#features/labels/labels.state.svelte.ts'
import type { ModificationState } from '#features/modification/modification.state.svelte.ts'
import type { PrintsState } from '#features/prints/prints.state.svelte.ts'
import type { QueueState } from '#features/queue/queue.state.svelte.ts'
import type { SearchState } from '#features/search/search.state.svelte.ts'
import type { SheetsState } from '#features/sheets/sheets.state.svelte.ts'
import type { StageState } from '#features/stage/stage.state.svelte.ts'
import type { StorageState } from '#features/storage/storage.state.svelte.ts'
import type { Sound } from '#scanner/sound.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { AppState } from './app-state.svelte.ts'
import type { Notice } from './notices.svelte.ts'
import type { Place, Places } from './places.svelte.ts'

/** The window as whoever steers it sees it: what it shows, and the ways between its places. WindowState is one. */
export interface SteeredWindow {
  readonly place: Place
  readonly places: Places
  readonly app: AppState
  readonly stage: StageState
  readonly modification: ModificationState
  readonly labels: LabelsState
  readonly labelForm: LabelFormState
  readonly queue: QueueState
  readonly prints: PrintsState
  readonly search: SearchState
  readonly expiring: ExpiringState
  readonly overview: OverviewState
  readonly storage: StorageState
  readonly sheets: SheetsState
  readonly play: (sound: Sound) => void
  goHome(): void
  logout(): void
  openBooking(): void
  openForm(subject: LabelFormSubject): void
  openLocations(): void
  openQueue(commandId?: string): void
  openPrints(jobId?: string): void
  openQueueAsked(): void
  openPrintsAsked(): void
  openSearch(text: string | null): void
  runPrimary(): void
  /** Says that a command means nothing here. */
  refuse(command: Command): void
  say(notice: Notice): void
}
