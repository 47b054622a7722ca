import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ReadTurns } from '#middleware/plugins/answers.ts'

const limits = { mostCharacters: 1000, readsAtOnce: 1 }

/** Turns of which one read holds the only one until `end` is called; `began` names the reads in the order they begin. */
function heldTurns(): {
  ask: (owner: string, name: string) => { response: PassThrough; done: Promise<boolean> }
  end: () => Promise<void>
  began: string[]
} {
  const turns = new ReadTurns(limits)
  const began: string[] = []
  const held = Promise.withResolvers<undefined>()
  const asked: Promise<boolean>[] = [
    turns.run({ owner: 'flood', response: new PassThrough() }, async () => {
      await held.promise
    }),
  ]
  return {
    ask: (owner, name) => {
      const response = new PassThrough()
      const done = turns.run({ owner, response }, () => {
        began.push(name)
        return Promise.resolve()
      })
      asked.push(done)
      return { response, done }
    },
    end: async () => {
      held.resolve(undefined)
      await Promise.all(asked)
    },
    began,
  }
}

describe('reads that wait for a turn', () => {
  it('go owner by owner, so that the many of one do not hold up the one of another', async () => {
    const { ask, end, began } = heldTurns()
    for (const name of ['1', '2', '3']) ask('flood', name)
    ask('honest', 'honest')
    ask('third', 'third')
    await end()
    expect(began).toEqual(['1', 'honest', 'third', '2', '3'])
  })

  it('are left out where their client has left meanwhile, and those behind them go on', async () => {
    const { ask, end, began } = heldTurns()
    const gone = ask('flood', 'gone')
    ask('flood', 'here')
    gone.response.destroy()
    expect(await gone.done).toBe(false)
    await end()
    expect(began).toEqual(['here'])
  })

  it('are left out where their client left before they were asked for', async () => {
    const response = new PassThrough()
    response.destroy()
    await new Promise((resolve) => response.once('close', resolve))
    const isRead = await new ReadTurns(limits).run({ owner: 'a', response }, () => {
      throw new Error('it was read')
    })
    expect(isRead).toBe(false)
  })

  it('are left out where their client turns out to have left once all that wait have connected', async () => {
    const turns = new ReadTurns(limits, 60_000)
    const response = new PassThrough()
    let connected = 0
    const connect = (): void => {
      turns.arrived()
      connected++
      // the server learns of it behind the other connections
      if (connected < 20) setImmediate(connect)
      else response.destroy()
    }
    connect()
    const isRead = await turns.run({ owner: 'a', response }, () => {
      throw new Error('it was read')
    })
    expect([isRead, connected]).toEqual([false, 20])
  })

  it('do not wait for ever while clients connect', async () => {
    const turns = new ReadTurns(limits)
    let isDone = false
    const connect = (): void => {
      turns.arrived()
      if (!isDone) setImmediate(connect)
    }
    connect()
    isDone = await turns.run({ owner: 'a', response: new PassThrough() }, () => Promise.resolve())
    expect(isDone).toBe(true)
  })
})
