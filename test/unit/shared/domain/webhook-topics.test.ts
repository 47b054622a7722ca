import { describe, expect, it } from 'vitest'
import { isWebhookTopic, webhookGroups, webhookTopic, webhookTopics } from '#shared/domain/webhook-topics.ts'

describe('the topics of webhooks', () => {
  it('are defined for exactly the groups in the list `webhookGroups`', () => {
    expect([...webhookGroups].sort()).toEqual(Object.keys(webhookTopics).sort())
  })

  it.each([
    ['stock', 'updated', true],
    ['order', 'shipped', true],
    ['stock', 'created', false],
    ['order', 'constructor', false],
    ['batch', '', false],
  ] as const)('include the topic %s/%s: %s', (group, action, known) => {
    expect(isWebhookTopic(group, action)).toBe(known)
  })

  it('have the form group/action of the contract', () => {
    expect(webhookTopic('stock', 'updated')).toBe('stock/updated')
  })
})
