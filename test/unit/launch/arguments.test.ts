import { describe, expect, it } from 'vitest'
import { readArguments, writeArguments } from '../../../electron/launch/arguments.mjs'

const known = { values: ['data-dir', 't'], flags: ['long', 'inspect'], free: 'paths' }
const read = (...argv: string[]): ReturnType<typeof readArguments> => readArguments('npm start', argv, known)

describe('readArguments()', () => {
  it('reads options (--a b and --a=b), flags with and without a value, and positional arguments', () => {
    expect(read('a', '--data-dir', 'x', '--inspect=9229', '-t', 'one two', '--long', 'b')).toEqual({
      options: { 'data-dir': 'x', inspect: '9229', t: 'one two', long: true },
      free: ['a', 'b'],
    })
    expect(read('--data-dir=x y').options).toEqual({ 'data-dir': 'x y' })
    expect(read()).toEqual({ options: {}, free: [] })
  })

  it.each([
    ['--nonsense', '--nonsense'],
    ['--nonsense=1', '--nonsense'],
    ['-x', '-x'],
    ['--constructor', '--constructor'],
  ])('refuses the unknown option %s, and names the options that the script accepts', (argument, named) => {
    expect(() => read(argument)).toThrow(
      `npm start does not accept ${named}. It takes paths, --data-dir VALUE, -t VALUE, --long, --inspect.`,
    )
  })

  it('refuses an option without its required value', () => {
    expect(() => read('--data-dir')).toThrow('--data-dir needs a value.')
    expect(() => read('--data-dir', '--long')).toThrow('--data-dir needs a value.')
  })

  it('refuses every argument to a script that accepts none', () => {
    expect(() => readArguments('npm run check', ['x'])).toThrow(
      'npm run check does not accept "x". It takes no arguments.',
    )
    expect(() => readArguments('npm run check', ['--fix'])).toThrow('npm run check does not accept --fix.')
  })
})

describe('writeArguments()', () => {
  it('writes the arguments in the form that Chromium accepts', () => {
    expect(writeArguments(read('--data-dir', 'x y', '--long').options)).toEqual(['--data-dir=x y', '--long'])
  })
})
