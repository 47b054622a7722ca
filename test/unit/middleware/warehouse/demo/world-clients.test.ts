import { describe, expect, it } from 'vitest'
import { exportTypes } from '#shared/domain/exports.ts'
import { isWebhookTopic, webhookTopics } from '#shared/domain/webhook-topics.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'

const moment = new Date('2026-03-04T09:30:00Z')
const world = makeDemoWorld({ seed: 1, now: moment })
const monthMs = 30 * 24 * 3600_000

describe.each(world.customers.map(({ id, name }) => [name, id]))('the demo clients of %s', (_, id) => {
  it('the clients of a customer have exports of every type; some of these exports are expired and some failed', () => {
    const own = world.exports.filter(({ customerId }) => customerId === id)
    const types = Object.values(exportTypes).flat().length
    expect(new Set(own.map(({ family, type }) => `${family} ${type}`)).size).toBe(types)
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['created', 'failed', 'expired']))
    for (const { status, createdAt } of own) {
      const age = moment.getTime() - Date.parse(createdAt)
      expect(age).toBeGreaterThan(0)
      expect(age > monthMs).toBe(status === 'expired')
    }
  })

  it('the clients of a customer have a separate webhook for each event, at a reserved host name', () => {
    const own = world.webhooks.filter(({ customerId }) => customerId === id)
    expect(own).toHaveLength(Object.values(webhookTopics).flat().length)
    const events = Object.values(webhookTopics).flat().length
    expect(new Set(own.map(({ group, action }) => `${group}/${action}`)).size).toBe(events)
    for (const { url, group, action } of own) {
      expect(new URL(url).hostname).toMatch(/\.example$/)
      expect(isWebhookTopic(group, action)).toBe(true)
    }
  })
})
