import type { Deed, Said } from './deed.ts'

/** One action that a desk process began. */
export interface Entry {
  readonly deed: Deed
  /** The desk's own id of the subject of the action. Null without an acknowledgement. */
  readonly subjectId: string | null
}

/** The messages of all desk processes of a shift in their order. */
export class Diary {
  readonly #entries = new Map<string, { deed: Deed; subjectId: string | null }>()
  readonly refused: Record<string, number> = {}
  readonly faults: string[] = []

  note(said: Said): void {
    switch (said.say) {
      case 'try':
        this.#entries.set(said.deedId, { deed: said.deed, subjectId: null })
        return
      case 'ack': {
        const entry = this.#entries.get(said.deedId)
        if (entry) entry.subjectId = said.subjectId
        return
      }
      case 'refused':
        this.#entries.delete(said.deedId)
        this.refused[said.code] = (this.refused[said.code] ?? 0) + 1
        return
      case 'fault':
        this.faults.push(said.problem)
        return
      case 'ready':
      case 'settled':
    }
  }

  get entries(): Entry[] {
    return [...this.#entries.values()]
  }

  get acknowledged(): { readonly deed: Deed; readonly subjectId: string }[] {
    return this.entries.flatMap(({ deed, subjectId }) => (subjectId === null ? [] : [{ deed, subjectId }]))
  }

  /** Returns the ids of shipments for which an operator wanted a label. */
  get usedShipments(): Set<string> {
    return new Set(this.entries.flatMap(({ deed }) => (deed.kind === 'label' ? (deed.shipmentId ?? []) : [])))
  }
}
