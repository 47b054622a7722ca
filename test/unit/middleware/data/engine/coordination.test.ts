import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Lease, type Leases, LeaseWaiters, takeWhenFree } from '#middleware/data/engine/coordination.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'

let leases: Leases
beforeEach(() => {
  leases = new SingleProcess().leases
})

/** Takes the lease, which must be free. */
async function taken(): Promise<Lease> {
  const lease = await leases.wait('label')
  if (lease === null) throw new Error('no lease')
  return lease
}

/** Resolves when the requests that have begun are answered. */
function requestsAnswered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('callers that wait for the same lease', () => {
  it('get it in the order of their calls, and request it at most twice each', async () => {
    const take = vi.spyOn(leases, 'take')
    const first = await taken()
    const served: number[] = []
    const waiting = Array.from({ length: 50 }, async (_, caller) => {
      const lease = await leases.wait('label')
      served.push(caller)
      await lease?.release()
    })
    await first.release()
    await Promise.all(waiting)
    expect(served).toEqual(waiting.map((_, caller) => caller))
    expect(take.mock.calls.length).toBeLessThanOrEqual(1 + 2 * waiting.length)
  })

  it('get it although the caller before them gives up at the moment of the release', async () => {
    const first = await taken()
    const giveUp = new AbortController()
    const leaving = leases.wait('label', giveUp.signal)
    const next = leases.wait('label')
    await requestsAnswered()
    void first.release()
    giveUp.abort()
    expect(await leaving).toBeNull()
    expect((await next)?.name).toBe('label')
  })

  it('get it although the request of the caller before them fails after the release', async () => {
    const first = await taken()
    const waiters = new LeaseWaiters()
    const failing = vi
      .fn((name: string) => leases.take(name))
      .mockResolvedValueOnce(null)
      .mockRejectedValueOnce(new Error('cut'))
    const cut = takeWhenFree({ take: failing }, waiters, ['label'])
    const next = takeWhenFree(leases, waiters, ['label'])
    await requestsAnswered()
    await first.release()
    waiters.wake('label')
    await expect(cut).rejects.toThrow('cut')
    expect((await next)?.name).toBe('label')
  })
})

describe('a caller that waits for a lease', () => {
  it('gets null when its signal is aborted', async () => {
    await taken()
    const giveUp = new AbortController()
    const waiting = leases.wait('label', giveUp.signal)
    giveUp.abort()
    expect(await waiting).toBeNull()
  })

  it('gets a lease that is released while the caller requests it', async () => {
    const waiters = new LeaseWaiters()
    const answer = Promise.withResolvers<Lease | null>()
    const take = vi.fn((name: string) => leases.take(name)).mockReturnValueOnce(answer.promise)
    const waiting = takeWhenFree({ take }, waiters, ['label'])
    waiters.wake('label')
    answer.resolve(null)
    expect((await waiting)?.name).toBe('label')
  })
})
