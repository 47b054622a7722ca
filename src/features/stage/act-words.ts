import { m } from '#messages/messages.js'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { reprintCommands } from '#shared/domain/reprint-commands.ts'
import { reprintWords } from '#ui/reprint-words.ts'
import { isOpenForChange, type LabelAct } from './label-acts.ts'

/** The commands that do the same as pressing, beside PRIMARY. An act without one is pressed or not done. */
export const commandOfAct: Partial<Record<LabelAct, Command>> = {
  reprint: 'REPRINT',
  reprint_damaged: reprintCommands.damaged,
  reprint_lost: reprintCommands.lost,
  reprint_misprint: reprintCommands.misprint,
  reprint_other: reprintCommands.other,
  method: 'METHOD',
  address: 'ADDRESS',
  cancel: 'CANCEL',
  keep: 'HOME',
}

/**
 * What a button calls an act, for this label (null: a shipment that has none yet). `savesFiles`: labels go into the label
 * folder, and not to a printer.
 */
export function actWords(act: LabelAct, label: ReturnLabelView | null, savesFiles: boolean): string {
  switch (act) {
    case 'make':
      return label ? m.action_make_again() : m.action_make()
    case 'make_again':
      return m.action_once_more()
    case 'request':
      return m.action_request()
    case 'fetch':
      return m.action_fetch()
    case 'reprint':
      if (savesFiles) return (label?.print?.file ?? null) === null ? m.action_save() : m.action_save_again()
      return label?.print ? m.action_reprint() : m.action_print()
    case 'method':
      return m.action_method()
    case 'address':
      return addressWords(label)
    case 'cancel':
      return m.action_cancel()
    case 'confirm_cancel':
      return m.action_cancel_yes()
    case 'keep':
      return m.action_keep()
    case 'as_is':
      return m.prints_leave()
    case 'reprint_damaged':
      return reprintWords.damaged()
    case 'reprint_lost':
      return reprintWords.lost()
    case 'reprint_misprint':
      return reprintWords.misprint()
    case 'reprint_other':
      return reprintWords.other()
  }
}

function addressWords(label: ReturnLabelView | null): string {
  const refused = label?.failure?.code === 'return_label.address_invalid' || label?.patch === 'rejected'
  if (refused && !label.cancelled) return m.action_address_fix()
  if (isOpenForChange(label)) return m.action_address_change()
  return label?.shipmentId === null ? m.action_hand_again() : m.action_address()
}
