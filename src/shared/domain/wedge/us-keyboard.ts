/** Keys of the US layout that are neither letters nor digits: plain, with Shift. Scanners leave the factory with it. */
const symbols: Readonly<Record<string, string>> = {
  Backquote: '`~',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  Space: '  ',
  // the key that ISO keyboards have beside the left Shift
  IntlBackslash: '\\|',
}
const keypad: Readonly<Record<string, string>> = {
  NumpadAdd: '+',
  NumpadSubtract: '-',
  NumpadMultiply: '*',
  NumpadDivide: '/',
  NumpadDecimal: '.',
  NumpadEqual: '=',
}
const shiftedDigits = ')!@#$%^&*('

/** What a key types on a US keyboard, Caps Lock off; null for keys that type nothing there. */
export function usCharacter(code: string, shift: boolean): string | null {
  const [, kind, mark] = /^(Key|Digit|Numpad)([A-Z]|\d)$/.exec(code) ?? []
  if (kind === 'Key' && mark !== undefined) return shift ? mark : mark.toLowerCase()
  if (kind === 'Digit' && mark !== undefined) return shift ? (shiftedDigits[Number(mark)] ?? null) : mark
  if (kind === 'Numpad' && mark !== undefined) return mark
  return symbols[code]?.[shift ? 1 : 0] ?? keypad[code] ?? null
}
