import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { untilAccepted } from '#middleware/data/engine/conflicts.ts'
import { Refusal } from '#middleware/services/refusal.ts'
import { outOfTurn, type TurnCall, Turns } from '#middleware/services/turns.ts'

const limits = { read: 100, write: 2 }
const nextLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Asked {
  readonly response: PassThrough
  readonly done: Promise<boolean>
}

/**
 * Starts a read that runs until `end` is called. Calls that are made with `ask` wait until then. `began` lists the
 * names of these calls in the order in which they started.
 */
function heldTurns(): {
  ask: (owner: string, name: string, kind?: TurnCall['kind']) => Asked
  end: () => Promise<void>
  began: string[]
} {
  const turns = new Turns(limits)
  const began: string[] = []
  const held = Promise.withResolvers<undefined>()
  const asked: Promise<boolean>[] = [
    turns.run({ owner: 'flood', kind: 'read', response: new PassThrough() }, async () => {
      await held.promise
    }),
  ]
  return {
    ask: (owner, name, kind = 'read') => {
      const response = new PassThrough()
      const done = turns.run({ owner, kind, response }, () => {
        began.push(name)
        return Promise.resolve()
      })
      asked.push(done)
      return { response, done }
    },
    end: async () => {
      held.resolve(undefined)
      await Promise.allSettled(asked)
    },
    began,
  }
}

/** Runs a call of a client that stays connected. */
function run(turns: Turns, owner: string, work: () => Promise<void>): Promise<boolean> {
  return turns.run({ owner, kind: 'write', response: new PassThrough() }, work)
}

/**
 * Fixes the time of `performance`, so that the load of the machine neither begins nor ends a wait of the turns. Returns
 * a function that lets time pass.
 */
function fixTime(): (milliseconds: number) => void {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return (milliseconds) => {
    now += milliseconds
  }
}
afterEach(() => vi.restoreAllMocks())

describe('calls that wait for a turn', () => {
  it('alternate between owners, so that many calls of one owner do not delay the call of a second owner', async () => {
    const { ask, end, began } = heldTurns()
    for (const name of ['1', '2', '3']) ask('flood', name)
    ask('honest', 'honest', 'write')
    ask('third', 'third')
    await end()
    expect(began).toEqual(['1', 'honest', 'third', '2', '3'])
  })

  it('let three steps of background work run after at most twelve calls, although forty calls wait', async () => {
    const turns = new Turns(limits)
    const order: string[] = []
    const calls = Array.from({ length: 40 }, () =>
      turns.run({ owner: 'flood', kind: 'read', response: new PassThrough() }, async () => {
        order.push('call')
        await nextLoopTurn()
      }),
    )
    for (let step = 1; step <= 3; step++)
      await turns.runFor('export', () => Promise.resolve(order.push('step')))
    await Promise.all(calls)
    expect(order.lastIndexOf('step')).toBeLessThan(15)
    expect(order).toHaveLength(43)
  })

  it('are skipped if their client disconnects while they wait, and the calls behind them still run', async () => {
    const { ask, end, began } = heldTurns()
    const gone = ask('flood', 'gone')
    ask('flood', 'here')
    gone.response.destroy()
    expect(await gone.done).toBe(false)
    await end()
    expect(began).toEqual(['here'])
  })

  it('are skipped if their client had already disconnected when they asked for the turn', async () => {
    const response = new PassThrough()
    response.destroy()
    await new Promise((resolve) => response.once('close', resolve))
    const isRead = await new Turns(limits).run({ owner: 'a', kind: 'read', response }, () => {
      throw new Error('it was read')
    })
    expect(isRead).toBe(false)
  })

  it('are refused if their owner has the maximum number of waiting calls of their kind (read or write)', async () => {
    const { ask, end, began } = heldTurns()
    ask('flood', '1', 'write')
    ask('flood', '2', 'write')
    await expect(ask('flood', '3', 'write').done).rejects.toMatchObject({
      kind: 'too_many',
      retryAfterSeconds: 5,
    })
    ask('flood', 'read')
    ask('honest', 'honest', 'write')
    await end()
    expect(began).toEqual(['1', 'honest', '2', 'read'])
  })

  it('free their places in the queue when they have run or their clients have disconnected', async () => {
    const turns = new Turns({ read: 1, write: 1 })
    for (let time = 0; time < 3; time++) {
      const held = Promise.withResolvers<undefined>()
      const first = run(turns, 'a', async () => {
        await held.promise
      })
      const response = new PassThrough()
      const gone = turns.run({ owner: 'a', kind: 'write', response }, () => Promise.resolve())
      expect(() => turns.requireRoom({ owner: 'a', kind: 'write' })).toThrow(Refusal)
      response.destroy()
      expect(await gone).toBe(false)
      const second = run(turns, 'a', () => Promise.resolve())
      held.resolve(undefined)
      expect(await Promise.all([first, second])).toEqual([true, true])
    }
  })

  it('start immediately if no call is running', async () => {
    let isBegun = false
    const done = run(new Turns(limits), 'a', () => {
      isBegun = true
      return Promise.resolve()
    })
    for (let time = 0; time < 10; time++) await Promise.resolve()
    expect(isBegun).toBe(true)
    await done
  })
})

describe('turns for two owners at the same time', () => {
  beforeEach(() => void fixTime())

  /** Starts calls that end only when `end` is called with their name. `began` lists the calls that have started. */
  function openCalls(): {
    start: (owner: string, name: string) => void
    end: (name: string) => Promise<void>
    began: string[]
  } {
    const turns = new Turns(limits, { ownersAtOnce: 2 })
    const began: string[] = []
    const ends = new Map<string, { hold: PromiseWithResolvers<undefined>; done: Promise<boolean> }>()
    return {
      start: (owner, name) => {
        const hold = Promise.withResolvers<undefined>()
        const done = run(turns, owner, async () => {
          began.push(name)
          await hold.promise
        })
        ends.set(name, { hold, done })
      },
      end: async (name) => {
        ends.get(name)?.hold.resolve(undefined)
        await ends.get(name)?.done
        for (let time = 0; time < 5; time++) await nextLoopTurn()
      },
      began,
    }
  }

  it('let calls of two owners run in parallel, and start the call of a third owner when one of these calls has ended', async () => {
    const { start, end, began } = openCalls()
    start('a', 'long')
    start('b', 'short')
    start('c', 'third')
    await nextLoopTurn()
    expect(began).toEqual(['long', 'short'])
    await end('short')
    expect(began).toEqual(['long', 'short', 'third'])
    await end('third')
    await end('long')
  })

  it('run the calls of one owner one after the other, even while no other owner has a call', async () => {
    const { start, end, began } = openCalls()
    start('a', 'first')
    start('a', 'second')
    await nextLoopTurn()
    expect(began).toEqual(['first'])
    start('b', 'of another owner')
    await nextLoopTurn()
    expect(began).toEqual(['first', 'of another owner'])
    await end('first')
    expect(began).toEqual(['first', 'of another owner', 'second'])
    await end('second')
    await end('of another owner')
  })
})

describe('a call whose transaction PostgreSQL refuses', () => {
  it('runs again after the waiting calls of other owners, and before the next call of its own owner', async () => {
    const turns = new Turns(limits)
    const began: string[] = []
    const note = (name: string) => (): Promise<void> => {
      began.push(name)
      return Promise.resolve()
    }
    const others: Promise<boolean>[] = []
    const refused = run(turns, 'a', () =>
      untilAccepted(() => {
        began.push('try')
        if (others.length > 0) return Promise.resolve()
        others.push(run(turns, 'b', note('another owner')), run(turns, 'a', note('same owner')))
        return Promise.reject(Object.assign(new Error('refused'), { code: '40001' }))
      }),
    )
    await refused
    await Promise.all(others)
    expect(began).toEqual(['try', 'another owner', 'try', 'same owner'])
  })
})

describe('the wait for new connections before a call', () => {
  it('lasts until the last of a hundred clients that connect one after the other has connected', async () => {
    fixTime()
    const turns = new Turns(limits, { portionMs: 0 })
    let connected = 0
    const connect = (): void => {
      turns.arrived()
      connected++
      // a client connects only in every second iteration of the event loop, so one iteration without a client does not
      // mean that no more clients come
      if (connected < 100) setImmediate(() => setImmediate(connect))
    }
    connect()
    await run(turns, 'a', () => Promise.resolve())
    expect(connected).toBe(100)
  })

  it('lasts until the owners of all calls that have arrived are known', async () => {
    const turns = new Turns(limits, { portionMs: 0 })
    let isKnown = false
    const identified = turns.identify('user', async () => {
      for (let time = 0; time < 100; time++) await nextLoopTurn()
      isKnown = true
    })
    await run(turns, 'a', () => Promise.resolve())
    expect(isKnown).toBe(true)
    await identified
  })

  it('is not prolonged by calls that arrive during the wait', async () => {
    const turns = new Turns(limits, { portionMs: 0 })
    let isDone = false
    let identified = 0
    // each call begins before the previous one ends, as in a flood of calls that are refused
    const flood = async (): Promise<void> => {
      for (let time = 0; time < 10; time++) await nextLoopTurn()
      if (isDone) return
      identified++
      void turns.identify('user', flood)
    }
    void turns.identify('user', flood)
    await run(turns, 'a', () => Promise.resolve())
    isDone = true
    expect(identified).toBeLessThan(10)
  })

  it.each([
    { work: 10, iteration: 20, connecting: false, most: 2 },
    { work: 10, iteration: 20, connecting: true, most: 2 },
    { work: 100, iteration: 10, connecting: false, most: 10 },
  ])(
    'takes at most $most iterations of $iteration ms after $work ms of calls (clients that never stop connecting: $connecting)',
    async ({ work, iteration, connecting, most }) => {
      const pass = fixTime()
      const turns = new Turns(limits)
      await run(turns, 'a', () => {
        pass(work)
        return Promise.resolve()
      })
      let iterations = 0
      let isDone = false
      // the calls of a flood make each iteration of the event loop long
      const flood = (): void => {
        if (isDone) return
        iterations++
        pass(iteration)
        if (connecting) turns.arrived()
        setImmediate(flood)
      }
      setImmediate(flood)
      isDone = await run(turns, 'b', () => Promise.resolve())
      expect(iterations).toBeGreaterThan(0)
      expect(iterations).toBeLessThanOrEqual(most)
    },
  )

  it('is not followed by the call if the client of this call disconnects during the wait', async () => {
    fixTime()
    const turns = new Turns(limits, { portionMs: 0 })
    const response = new PassThrough()
    let connected = 0
    const connect = (): void => {
      turns.arrived()
      connected++
      // the server notices that the client of this call has disconnected only after twenty other clients have connected
      if (connected < 20) setImmediate(connect)
      else response.destroy()
    }
    connect()
    const isRead = await turns.run({ owner: 'a', kind: 'read', response }, () => {
      throw new Error('it was read')
    })
    expect([isRead, connected]).toEqual([false, 20])
  })
})

describe('a call that gives up its turn while it waits', () => {
  it('lets a second call run meanwhile, and continues in a new turn', async () => {
    const turns = new Turns(limits)
    const carrier = Promise.withResolvers<undefined>()
    const steps: string[] = []
    const first = run(turns, 'a', async () => {
      steps.push('asks')
      await outOfTurn(() => carrier.promise)
      steps.push('ends')
    })
    const second = run(turns, 'b', async () => {
      steps.push('second begins')
      carrier.resolve(undefined)
      await nextLoopTurn()
      steps.push('second ends')
    })
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(steps).toEqual(['asks', 'second begins', 'second ends', 'ends'])
  })

  it('fails with the error of the request for which it waits, even if its client has disconnected, and the next call of its owner runs', async () => {
    const turns = new Turns(limits)
    const response = new PassThrough()
    const failed = turns.run({ owner: 'a', kind: 'write', response }, () =>
      outOfTurn(() => {
        response.destroy()
        return Promise.reject(new Error('the carrier failed'))
      }),
    )
    await expect(failed).rejects.toThrow('the carrier failed')
    expect(await run(turns, 'a', () => Promise.resolve())).toBe(true)
  })

  it('can wait for a request that an earlier call of the same owner started, and both calls end', async () => {
    const turns = new Turns(limits)
    const carrier = Promise.withResolvers<undefined>()
    const shared: Promise<void>[] = []
    const first = run(turns, 'a', () => {
      const request = outOfTurn(() => carrier.promise).then(nextLoopTurn)
      shared.push(request)
      return request
    })
    const second = run(turns, 'a', async () => {
      setImmediate(() => carrier.resolve(undefined))
      await outOfTurn(async () => void (await Promise.all(shared)))
    })
    expect(await Promise.all([first, second])).toEqual([true, true])
  })

  it('does not end the turn of a later call if its own background work calls outOfTurn() during the turn of the later call', async () => {
    const turns = new Turns(limits)
    const later = Promise.withResolvers<undefined>()
    let background = Promise.resolve()
    await run(turns, 'a', () => {
      background = later.promise.then(() => outOfTurn(() => Promise.resolve()))
      return Promise.resolve()
    })
    const steps: string[] = []
    const first = run(turns, 'b', async () => {
      later.resolve(undefined)
      await background
      await nextLoopTurn()
      steps.push('first')
    })
    const second = run(turns, 'c', () => {
      steps.push('second')
      return Promise.resolve()
    })
    await Promise.all([first, second])
    expect(steps).toEqual(['first', 'second'])
  })
})

describe('look-ups in the database', () => {
  /**
   * Starts look-ups; the owner is the first letter of each name. `begun` lists their names in the order in which they
   * begin; `end` ends one of them.
   */
  function start(names: readonly string[]): { begun: string[]; end: (name: string) => Promise<void> } {
    const turns = new Turns(limits, { lookUps: { inAll: 3, ofOneOwner: 2 } })
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    for (const name of names)
      void turns.lookUp(name.slice(0, 1), async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
      })
    return {
      begun,
      end: async (name) => {
        ends.get(name)?.()
        await nextLoopTurn()
      },
    }
  }

  it('run at the same time up to a total limit, and up to a lower limit for each owner', async () => {
    const { begun, end } = start(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
    await end('b2')
    expect(begun).toHaveLength(4)
    await end('a1')
    expect(begun.slice(4)).toEqual(['a3'])
  })

  it('alternate between owners, so that many look-ups of one owner do not delay those of a second owner', async () => {
    const { begun, end } = start(['a1', 'b1', 'c1', 'a2', 'a3', 'b2'])
    for (const name of ['b1', 'c1', 'a1']) await end(name)
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('throw their error if they fail, and let the next look-up run', async () => {
    const turns = new Turns(limits, { lookUps: { inAll: 1, ofOneOwner: 1 } })
    await expect(turns.lookUp('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
    expect(await turns.lookUp('a', () => Promise.resolve('found'))).toBe('found')
  })
})
