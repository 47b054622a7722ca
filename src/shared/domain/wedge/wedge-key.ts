/** One keydown, as the decoder needs it. `timeStampMs` is the event's own time stamp: the clock lies under load. */
export interface WedgeKey {
  /** What the key types by this computer's keyboard layout. */
  readonly key: string
  /** Which key of the keyboard it is, whatever the layout; empty where the system does not say (remote desktops). */
  readonly code: string
  readonly timeStampMs: number
  readonly ctrl: boolean
  readonly alt: boolean
  readonly meta: boolean
  /** AltGr is ctrl and alt at once, and types a character all the same. */
  readonly altGraph: boolean
  readonly shift: boolean
  readonly capsLock: boolean
  readonly repeat: boolean
  readonly composing: boolean
  /** `secret`: a password field, where only an unmistakable burst counts as a scan. */
  readonly field: 'none' | 'text' | 'secret'
}

export const groupSeparator = '\x1d'
