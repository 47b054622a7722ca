/** Where a text stops being JSON, counted from 1. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
}

type Expected = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'nothing'

const blank = /[ \t\r\n]*/y
/** Groups: a string, any other single value, a sign. */
const token =
  /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:])/y

/**
 * The first place of the text that no JSON can have, or null where all of it is JSON. `JSON.parse` names a place in some
 * of its errors only, and in words of its own.
 */
export function findJsonFault(text: string): JsonPlace | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(blank, text, at) ?? at
    const end = endOf(token, text, at)
    if (end === null) return at === text.length && expected === 'nothing' ? null : placeOf(text, at)
    const next = follow(expected, text.slice(at, Math.min(end, at + 1)), open)
    if (next === null) return placeOf(text, at)
    expected = next
    at = end
  }
}

/** What may stand behind the token that begins with `first`; null: it may not stand here. Keeps `open` up to date. */
function follow(expected: Expected, first: string, open: ('{' | '[')[]): Expected | null {
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'comma_or_end')
  const isClosing = first === (open.at(-1) === '{' ? '}' : ']')
  switch (expected) {
    case 'nothing':
      return null
    case 'colon':
      return first === ':' ? 'value' : null
    case 'comma_or_end':
      if (first === ',') return open.at(-1) === '{' ? 'key' : 'value'
      break
    case 'key':
    case 'key_or_end':
      if (first === '"') return 'colon'
      break
    case 'value':
    case 'value_or_end':
      if (first === '{' || first === '[') {
        open.push(first)
        return first === '{' ? 'key_or_end' : 'value_or_end'
      }
      if (!'}],:'.includes(first)) return afterValue()
  }
  if (!isClosing || expected === 'key' || expected === 'value') return null
  open.pop()
  return afterValue()
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

function placeOf(text: string, at: number): JsonPlace {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
