import type { Migration } from './migration.ts'

/**
 * Questions and notices hold at most 20,000 characters of the service's words; before, they held millions, without an end
 * to the notices. A question that is too long is asked anew by the next look; what was not sent is looked for first.
 */
export const deskShortQuestions: Migration = {
  version: 13,
  sql: `
    UPDATE commands SET question = '{"kind":"outcome","records":[]}'
      WHERE state = 'unknown' AND length(question) > 20100;
    UPDATE commands SET needs_operator = 0, question = NULL WHERE length(question) > 20100;

    -- one for each kind and subject stays open: what the last look saw
    DELETE FROM notices WHERE dismissed_at IS NULL AND EXISTS (SELECT 1 FROM notices n
      WHERE n.scope = notices.scope AND n.kind = notices.kind AND n.subject_id = notices.subject_id
        AND n.dismissed_at IS NULL AND n.seq > notices.seq);
    -- the first record of the others, with twenty lines
    UPDATE notices SET records = json_array(json_set(
        json_extract(records, '$[0]'),
        '$.record.brief.lines',
        json((SELECT json_group_array(json(value)) FROM json_each(notices.records, '$[0].record.brief.lines')
          WHERE key < 20)),
        '$.record.brief.moreLines',
        json_array_length(records, '$[0].record.brief.lines') - 20
      ))
      WHERE length(records) > 20000 AND json_array_length(records, '$[0].record.brief.lines') > 20;
    UPDATE notices SET records = '[]' WHERE length(records) > 20000;
  `,
}
