import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SupportView } from '#shared/bridge/support-views.ts'
import { ok } from '#shared/errors/result.ts'
import { ago, type MemoryCore } from './memory-core.ts'

/** A PC that has been in use for some time, and on which no support bundle was saved yet. */
export function sampleSupport(nowMs: number): SupportView {
  const line = (
    minutes: number,
    level: SupportView['lines'][number]['level'],
    text: string,
  ): SupportView['lines'][number] => ({ at: ago(nowMs, minutes), level, text })
  return {
    files: [
      { kind: 'versions', name: 'versions.json', bytes: 310 },
      { kind: 'settings', name: 'settings.json', bytes: 1_480 },
      { kind: 'counts', name: 'counts.json', bytes: 1_120 },
      { kind: 'errors', name: 'errors.json', bytes: 2_460 },
      { kind: 'log', name: 'logs/desk.log', bytes: 412_300 },
      { kind: 'log', name: 'logs/desk.log.1', bytes: 1_048_500 },
    ],
    lines: [
      line(1, 'info', 'a state changed · part line · state online'),
      line(2, 'info', 'a call failed again · channel article.stock · code network.offline · again 14'),
      line(2, 'info', 'a call failed · channel article.stock · code network.offline · cause ECONNREFUSED'),
      line(2, 'info', 'a state changed · part line · state offline · code network.offline'),
      line(9, 'warn', 'a call failed · channel printer.test · code printer.refused · cause paper_out'),
      line(
        31,
        'warn',
        'a call failed · channel station.save · code bridge.invalid_arguments · issues too_small at name · issueCount 1',
      ),
      line(47, 'error', 'an internal error of the desk: the connection was closed'),
      line(48, 'info', 'the app starts · version 0.1.0 · engine Electron 45.4.1 · platform linux'),
    ],
    logFault: null,
    saved: null,
    folder: '/home/desk/.config/Scandesk/support',
  }
}

export function supportMethods(desk: MemoryCore): ScandeskBridge['support'] {
  const { world } = desk
  return {
    contents: () => desk.call('support:contents', () => ok(world.support)),
    save: () =>
      desk.call('support:save', () => {
        const at = ago(world.nowMs(), 0)
        const name = `scandesk-support-${at.replaceAll(/[-:.]/g, '')}.zip`
        return ok((world.support = { ...world.support, saved: { name, at, bytes: 148_200 } }))
      }),
    show: () => desk.call('support:show', () => ok(undefined)),
  }
}
