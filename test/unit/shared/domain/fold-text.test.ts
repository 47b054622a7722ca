import { expect, it } from 'vitest'
import { foldText } from '#shared/domain/text-forms.ts'

it('folds case and accents, also of letters that have no parts', () => {
  expect(foldText('Łódź MÜLLER Søren Straße Ægir')).toBe('lodz muller soren strasse aegir')
  expect(foldText('Müller')).toBe(foldText('Mu\u0308ller'))
})
