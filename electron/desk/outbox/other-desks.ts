import type { CommandType } from './command-type.ts'
import type { RaiseNotice } from './notices.ts'
import type { CommandRow } from '../ports/commands.ts'

export interface OtherDesksParts {
  readonly types: ReadonlyMap<string, CommandType>
  readonly noticed: RaiseNotice
  readonly onFault: (error: unknown) => void
}

/** After a write has arrived, looks whether another desk did the same shortly before. Never in the way of a write. */
export class OtherDesks {
  readonly #parts: OtherDesksParts
  /** One look at a time, in order. */
  #looks: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(parts: OtherDesksParts) {
    this.#parts = parts
  }

  /** Returns at once. */
  lookAround(command: CommandRow): void {
    const type = this.#parts.types.get(command.type)
    if (!type?.neighbours || this.#isClosing) return
    this.#looks = this.#looks.then(() => this.#look(command, type)).catch(this.#parts.onFault)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#looks
  }

  async #look(command: CommandRow, type: CommandType): Promise<void> {
    if (this.#hasEnded()) return
    const records = (await type.neighbours?.(command)) ?? []
    if (!this.#hasEnded() && records.length > 0) this.#parts.noticed('other_desk', command.subject, records)
  }

  #hasEnded(): boolean {
    return this.#isClosing
  }
}
