import { describe, expect, it } from 'vitest'
import { mod3736 } from '#shared/domain/carriers/tracking.ts'
import { trackingNumbers, trackingReadings } from '#shared/domain/carriers/tracking.ts'

const carriers = (text: string): string[] => trackingReadings(text).map(({ carrier }) => carrier)

describe('trackingReadings()', () => {
  it.each([
    ['1Z5R89390357567127', 'ups'],
    ['1z 879 e93 03 4683 4440', 'ups'],
    ['RB123456785GB', 'post'],
    ['3SDEVC201611210', 'postnl'],
    ['JVGL0999999990', 'dhl'],
    ['JJD0099999999', 'dhl'],
    ['3318810025', 'dhl'],
    ['73891051146', 'dhl'],
    ['563102430313', 'dhl'],
    ['00340434123456789500'.slice(0, 18), 'sscc'],
    ['8L01234567895', 'colissimo'],
    ['H1001234567890123456', 'hermes'],
    ['323212345659900357664050', 'bpost'],
    ['008182709980000020033350276C', 'dpd'],
    ['008182709980000020045327276N', 'dpd'],
    ['986578788855', 'fedex'],
    ['477179081230', 'fedex'],
    ['041441760228964', 'fedex'],
    ['61299998820821171811', 'fedex'],
    ['9611020987654312345672', 'fedex'],
    ['1001921334250001000300779017972697', 'fedex'],
    ['9622001900000000000000776632517510', 'fedex'],
    ['9400111202555842332669', 'usps'],
    ['420221539101026837331000039521', 'usps'],
    ['4201002334249200190132607600833457', 'usps'],
  ])('reads %s as a tracking number of the carrier %s', (text, carrier) => {
    expect(carriers(text)).toContain(carrier)
  })

  it.each([
    '1Z5R89390357567128',
    'RB123456786GB',
    '8L01234567894',
    '008182709980000020033350276A',
    '1001901781990001000300617767839438',
    '9261292700768711948020',
    '3SDEVC2016112101234',
    'A-1',
    '',
  ])('reads no number from %j', (text) => {
    expect(carriers(text)).toEqual([])
  })

  it.each([
    ['9622001560001234567100794808390594', ['794808390594']],
    ['9632001560123456789900794808390594', ['794808390594']],
    ['1001921334250001000300779017972697', ['779017972697']],
    ['9611020987654312345672', ['987654312345672']],
    ['%008182709980000020033350276', ['09980000020033', `09980000020033${mod3736('09980000020033')}`]],
    ['008182709980000020033350276C', ['09980000020033', `09980000020033${mod3736('09980000020033')}`]],
    ['420221539101026837331000039521', ['9101026837331000039521']],
    ['4201028200009261290113185417468510', ['9261290113185417468510']],
    ['42022153\u001D9101026837331000039521', ['9101026837331000039521']],
    ['003404341234567895', ['00003404341234567895']],
    [
      '[)>\u001E01\u001D96841706672\u001D840\u001D001\u001D1Z12345675\u001DUPSN\u001D12345E\u001D089\u001D\u001D1/1\u001E\u0004',
      ['1Z12345675'],
    ],
    ['https://post.example/t?b=3SDEVC201611210&z=2132WT', ['3SDEVC201611210']],
    ['3SDEVC201611210-NL-2132WT', ['3SDEVC201611210']],
  ])('finds in %j the numbers %j', (text, numbers) => {
    expect(trackingNumbers(trackingReadings(text))).toEqual(numbers)
  })

  it('finds no number inside a longer code, and none in a sentence if the form of the number does not show the carrier with certainty', () => {
    expect(trackingReadings('X3SDEVC201611210')).toEqual([])
    expect(trackingReadings('order 3318810025')).toEqual([])
    expect(trackingReadings('1Z12345675 of somebody')).toEqual([])
  })

  it('finds for a DPD number with its check character the number without it, and the reverse', () => {
    const number = '09980525414724'
    const written = number + mod3736(number)
    expect(trackingNumbers(trackingReadings(written))).toEqual([number])
    expect(trackingNumbers(trackingReadings(number))).toEqual([written])
  })

  it('returns at most six numbers, even for a text that contains sixty', () => {
    const payload = Array.from({ length: 60 }, (_, at) => `3SDEVC${String(201_611_210 + at)}`).join('|')
    expect(trackingNumbers(trackingReadings(payload))).toHaveLength(6)
  })
})
