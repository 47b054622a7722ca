import { describe, expect, it } from 'vitest'
import { isWebhookTopic, webhookGroups, webhookTopic, webhookTopics } from '#shared/domain/webhook-topics.ts'

describe('the topics of webhooks', () => {
  it('are listed for every group', () => {
    expect([...webhookGroups].sort()).toEqual(Object.keys(webhookTopics).sort())
  })

  it.each([
    ['stock', 'updated', true],
    ['order', 'shipped', true],
    ['stock', 'created', false],
    ['order', 'constructor', false],
    ['batch', '', false],
  ] as const)('include %s/%s: %s', (group, action, known) => {
    expect(isWebhookTopic(group, action)).toBe(known)
  })

  it('are written as in the contract', () => {
    expect(webhookTopic('stock', 'updated')).toBe('stock/updated')
  })
})
