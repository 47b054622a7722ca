import type { Locator, Page } from '@playwright/test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scan } from '#support/scan.ts'
import { useGallery } from '../gallery/use-gallery.ts'
import { byHand } from '#support/keyboard.ts'

// The real window runs on an in-memory desk in a real browser and receives scans as trusted key events.
const gallery = useGallery()
let page: Page

beforeEach(async () => {
  page = await gallery.newPage()
})

afterEach(async () => {
  await page.close()
})

/** Opens a scenario. With `&catch` in `more`, scans are recorded and have no effect. */
async function open(scenario: string, more = ''): Promise<void> {
  await gallery.show(page, scenario, { more })
}

const shipment = 'SHP00000000412'
const shown = (): Promise<void> => page.locator(`[data-shipment="${shipment}"]`).waitFor()

/**
 * Presses Ctrl+Z six times in a field. Returns the texts of the field after each press, joined by spaces. Waits first,
 * because the desk stops each key within 70 ms after a scan.
 */
async function afterUndo(field: Locator): Promise<string> {
  await page.waitForTimeout(100)
  const seen: string[] = []
  for (let i = 0; i < 6; i++) {
    await field.press('Control+z')
    seen.push(await field.inputValue())
  }
  return seen.join(' ')
}

/** Counts the buttons that are pressed by the keys that `type` sends. */
async function pressesOf(type: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    document.body.dataset['presses'] = '0'
    const count = (): void => {
      document.body.dataset['presses'] = String(Number(document.body.dataset['presses']) + 1)
    }
    window.addEventListener('click', count, { capture: true })
  })
  await type()
  // Waits longer than the time after which a lone key presses a button.
  await page.waitForTimeout(300)
  return Number(await page.locator('body').getAttribute('data-presses'))
}

/** Counts the forms that are submitted by the keys that `type` sends, and prevents the effect of each submission. */
async function submissionsOf(type: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    document.body.dataset['submits'] = '0'
    const count = (event: Event): void => {
      event.stopImmediatePropagation()
      event.preventDefault()
      document.body.dataset['submits'] = String(Number(document.body.dataset['submits']) + 1)
    }
    window.addEventListener('submit', count, { capture: true })
  })
  await type()
  // Waits longer than the time after which a lone Enter submits a form.
  await page.waitForTimeout(300)
  return Number(await page.locator('body').getAttribute('data-submits'))
}

/** Sends Enter as a scanner does whose keys the computer delays: 250 ms late, and its release 120 ms after it. */
async function enterLate(on: Page): Promise<void> {
  const cdp = await on.context().newCDPSession(on)
  const timestamp = Date.now() / 1000 - 0.25
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, timestamp }
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, text: '\r' })
  await on.waitForTimeout(120)
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
  await on.waitForTimeout(300)
}

/** Returns the number of Tab keys that move the focus to the large button of the card. */
async function tabsToPrimary(): Promise<number> {
  for (let tabs = 1; tabs < 40; tabs++) {
    await page.keyboard.press('Tab')
    await page.waitForTimeout(70)
    if (await page.evaluate(() => document.activeElement?.classList.contains('primary') ?? false)) {
      await page.reload()
      await page.locator('html[data-ready=yes]').waitFor()
      return tabs
    }
  }
  throw new Error('Tab does not lead to the large button')
}

describe('a scan in the window', () => {
  it('reaches the desk if no element has the focus', async () => {
    await open('home-first')
    await scan(page, shipment)
    await shown()
  })

  it('reaches the desk while a field has the focus, and the field keeps its text', async () => {
    await open('home-first')
    const field = page.getByRole('textbox')
    await field.fill('WEB-1000')
    await field.evaluate((element: HTMLInputElement) => {
      element.setSelectionRange(1, 3)
    })
    await scan(page, '8719999999991')
    await page.locator('[data-unknown="8719999999991"]').waitFor()
    // The screen with the result of the scan still shows the typed text in its text field.
    expect(await page.getByRole('textbox').inputValue()).toBe('WEB-1000')
    expect(await page.locator('[data-rail]').count()).toBe(1)
  })

  it('keeps the text and the selection of the field that has the focus', async () => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.fill('https://wms.example.com')
    await field.evaluate((element: HTMLInputElement) => {
      element.setSelectionRange(8, 11)
    })
    await scan(page, shipment)
    const after = await field.evaluate((element: HTMLInputElement) => [
      element.value,
      element.selectionStart,
      element.selectionEnd,
    ])
    expect(after).toEqual(['https://wms.example.com', 8, 11])
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  it.each([
    ['it has only one character', '9'],
    ['it has only two characters', 'ZZ'],
    ['keys that type nothing separate its characters', 'ab\x1ecd\x1ee'],
  ])('leaves a field unchanged and submits nothing if %s', async (_, text) => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.focus()
    await field.evaluate((element: HTMLInputElement) => {
      element.value = 'https://wms'
    })
    await scan(page, text, { pauseMs: 500, gapMs: 8 })
    await page.waitForTimeout(400)
    expect(await field.inputValue()).toBe('https://wms')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  it('types nothing into a field, even if its first key deletes a character there', async () => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.focus()
    await field.evaluate((element: HTMLInputElement) => {
      element.value = 'https://wms'
    })
    await scan(page, `\x13${'ZZ\x1e\x05\x05'.repeat(3)}`, { pauseMs: 500, gapMs: 8 })
    await page.waitForTimeout(400)
    expect(await field.inputValue()).toBe('https://wm')
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  it('submits nothing if it has two characters and follows typed text; its characters stay in the field after this text', async () => {
    await open('form-shipment')
    const field = page.locator('[data-spot=city]')
    await field.fill('')
    await field.pressSequentially('Aa', { delay: 150 })
    const submissions = await submissionsOf(() =>
      scan(page, 'ZZ', { pauseMs: 500, gapMs: 8 }).then(() => undefined),
    )
    expect(submissions).toBe(0)
    expect(await field.inputValue()).toBe('AaZZ')
  })

  it('adds no step to the undo history of the field that has the focus', async () => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.pressSequentially('https://wms', { delay: 90 })
    await scan(page, shipment)
    await scan(page, '8719999999991')
    expect(await field.inputValue()).toBe('https://wms')
    await field.pressSequentially('.example', { delay: 90 })
    expect(await afterUndo(field)).not.toMatch(/SHP|8719/)
  })

  it('is removed from a field and from the undo history of the field if the first keys of the scan reached the field', async () => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.pressSequentially('https://wms', { delay: 90 })
    // The pause is longer than the time for which the window holds back keys, so the first keys of the scan reach the
    // field as typed keys.
    await scan(page, shipment, { breakAfter: 4, breakMs: 900 })
    expect(await field.inputValue()).toBe('https://wms')
    expect(await afterUndo(field)).not.toContain('SHP')
  })

  it('leaves a field unchanged even if the scanner needs 80 ms per key', async () => {
    await open('setup')
    const field = page.getByLabel('Server address')
    await field.pressSequentially('https://wms', { delay: 90 })
    await page.waitForTimeout(300)
    await scan(page, shipment, { gapMs: 80, isLive: true })
    expect(await field.inputValue()).toBe('https://wms')
    expect(await afterUndo(field)).not.toContain('SHP')
  })

  it.each([
    ['needs 45 ms per key', { gapMs: 45, isLive: true }],
    ['pauses after two keys', { breakAfter: 2, breakMs: 300 }],
  ])(
    'changes no other field, moves no cursor and does not change the undo history if the scanner %s',
    async (_, options) => {
      await open('form-shipment', '&catch')
      const fields = ['street', 'street_number', 'zipcode'].map((spot) => page.locator(`[data-spot=${spot}]`))
      const zipcode = page.locator('[data-spot=zipcode]')
      const values = (): Promise<string[]> => Promise.all(fields.map((field) => field.inputValue()))
      const [street = '', number = '', zip] = await values()
      for (const [index, typed] of ['Elm', '22', '2000'].entries()) {
        await fields[index]?.focus()
        await page.keyboard.press('Control+a')
        await fields[index]?.pressSequentially(typed, { delay: 120 })
      }
      await zipcode.press('ArrowLeft')
      await zipcode.pressSequentially('7', { delay: 120 })
      await page.evaluate(() => {
        document.body.dataset['events'] = ''
        for (const type of ['input', 'change', 'focusin', 'focusout'])
          document.addEventListener(type, ({ target }) => {
            if (!(target instanceof HTMLInputElement)) return
            const { events = '' } = document.body.dataset
            document.body.dataset['events'] =
              `${events}${type} ${target.dataset['spot'] ?? ''} ${target.value}\n`
          })
      })
      await page.waitForTimeout(300)
      await scan(page, shipment, options)
      expect(await page.evaluate(() => window.caught)).toEqual([shipment])
      expect(await values()).toEqual(['Elm', '22', '20070'])
      expect(await zipcode.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await zipcode.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(4)
      // The input events show only two texts of the field: with the scan, or a part of it, and finally without the
      // scan.
      const events = await page.locator('body').getAttribute('data-events')
      expect(events).toMatch(/^(?:input zipcode 2007S\w*0\n)+input zipcode 20070\n$/)
      // The desk stops each key within 70 ms after a scan, because no operator presses a key so soon.
      await page.waitForTimeout(100)
      const undone: string[][] = []
      for (let i = 0; i < 4; i++) {
        await page.keyboard.press('Control+z')
        undone.push(await values())
      }
      expect(undone).toEqual([
        ['Elm', '22', '2000'],
        ['Elm', '22', zip],
        ['Elm', number, zip],
        [street, number, zip],
      ])
    },
  )

  it('does not press the button that has the focus, although it contains a space and ends with Enter', async () => {
    await open('home-first')
    await page.locator('[data-command=LANGUAGE]').focus()
    await scan(page, 'LOT 12 B')
    await page.locator('[data-unknown="LOT 12 B"]').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  it.each([6, 80])('chooses no option of the list that has the focus, at %i ms per key', async (gapMs) => {
    await open('sheets', '&catch')
    const list = page.getByRole('combobox')
    await list.evaluate((element: HTMLSelectElement) => {
      element.add(new Option('Spare printer', 'spare'))
    })
    await list.focus()
    const before = await list.inputValue()
    await scan(page, shipment, { gapMs, isLive: gapMs > 6 })
    await page.waitForTimeout(300)
    expect(await page.evaluate(() => window.caught)).toEqual([shipment])
    expect(await list.inputValue()).toBe(before)
    expect(before).not.toBe('spare')
  })

  it('does not press the login button that has the focus', async () => {
    await open('login-sandbox')
    await scan(page, shipment)
    await page.getByText('Log in first, then scan again.').waitFor()
    expect(await page.locator('html').getAttribute('data-screen')).toBe('login')
  })

  it.each([
    ['Tab keys, and the scanner adds Enter', (tabs: string) => tabs, 'Enter'],
    ['Tab keys and a space, and the scanner adds Enter', (tabs: string) => `${tabs} `, 'Enter'],
    ['Tab keys and a space, and the scanner adds nothing', (tabs: string) => `${tabs} `, 'none'],
    ['Tab keys and Enter, and the scanner adds Tab', (tabs: string) => `${tabs}\r`, 'Tab'],
    ['Escape, Tab keys and Enter', (tabs: string) => `\x1b${tabs}\r`, 'Enter'],
    [
      'Tab keys with Ctrl keys between them, and the scanner adds Enter',
      (tabs: string) => tabs.replaceAll('\t', `\t${'\x05'.repeat(11)}`),
      'Enter',
    ],
    ['a letter and Tab keys, and the scanner adds Enter', (tabs: string) => `A${tabs}`, 'Enter'],
  ] as const)('presses no button if it contains only %s', async (_, textOf, terminator) => {
    for (const gapMs of [6, 45]) {
      await open('shipment')
      const tabs = '\t'.repeat(await tabsToPrimary())
      const presses = await pressesOf(async () => {
        await scan(page, textOf(tabs), { terminator, gapMs })
      })
      expect(presses).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    }
  })

  it.each([' ', '\r'])('does not press the focused button if it begins with %j', async (first) => {
    await open('shipment')
    await page.locator('button.primary').first().focus()
    const presses = await pressesOf(async () => {
      await scan(page, `${first}LOT 12 B`)
      await page.locator('[data-unknown]').waitFor()
    })
    expect(presses).toBe(0)
  })

  it.each(['[name=method] >> nth=1', '[data-spot=city]'])(
    'submits no form if it begins with Enter while %s has the focus',
    async (focused) => {
      await open('form-shipment')
      for (const text of ['\r', '\r\r', '\rLOT 12 B']) {
        await page.locator(focused).focus()
        expect(await submissionsOf(() => scan(page, text, { pauseMs: 500 }).then(() => undefined))).toBe(0)
      }
    },
  )

  it('submits no form if the scan is only an Enter whose press and release both arrive late', async () => {
    await open('form-shipment')
    await page.locator('[data-spot=city]').focus()
    expect(await submissionsOf(() => enterLate(page))).toBe(0)
  })

  it('makes no label if the scan is only an Enter that arrives late, and nothing has the focus', async () => {
    await open('shipment')
    await enterLate(page)
    expect(await page.locator('[data-phase=working]').count()).toBe(0)
  })

  it.each([
    ['no character that the scanner can type', ''],
    ['only characters that the scanner types as presses of Ctrl', '\x05'.repeat(11)],
  ])('has no effect if it contains %s, and the scanner adds Enter', async (_, text) => {
    const scanText = (): Promise<void> => scan(page, text, { pauseMs: 500, gapMs: 8 }).then(() => undefined)
    await open('form-shipment')
    for (const focused of ['[name=method] >> nth=1', '[data-spot=city]']) {
      await page.locator(focused).focus()
      expect(await submissionsOf(scanText)).toBe(0)
    }
    await open('shipment')
    await page.locator('button.primary').first().focus()
    expect(await pressesOf(scanText)).toBe(0)
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    })
    await scanText()
    await page.waitForTimeout(300)
    expect(await page.locator('[data-phase=working]').count()).toBe(0)
  })

  it('does not open the list that has the focus if it begins with a space', async () => {
    await open('sheets', '&catch')
    const list = page.getByRole('combobox')
    await list.focus()
    await scan(page, ' 8719999999991', { pauseMs: 500 })
    await page.waitForTimeout(300)
    expect(await list.evaluate((element) => element.matches(':open'))).toBe(false)
  })

  it('leaves the focus where it was if its first key is Tab', async () => {
    await open('home-first')
    await page.locator('[data-command=LANGUAGE]').focus()
    await scan(page, '\t8719999999991')
    await page.locator('[data-unknown="8719999999991"]').waitFor()
    expect(
      await page.locator('[data-command=LANGUAGE]').evaluate((one) => one === document.activeElement),
    ).toBe(true)
  })

  it('runs the command if it is a scan of a command barcode', async () => {
    await open('shipment')
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-phase=working]').waitFor()
    await scan(page, 'SDCMDLANGUAGE')
    await page.getByText('Label wordt gemaakt').first().waitFor()
    await scan(page, 'SDCMDLOGOUT', { terminator: 'Tab' })
    await page.locator('html[data-screen=login]').waitFor()
  })
})

describe('an operator with keyboard and mouse', () => {
  it('picks an option of a list by its first letters, typed fast, and leaves the list with Tab', async () => {
    await open('sheets', '&catch')
    const list = page.getByRole('combobox')
    await list.focus()
    await list.pressSequentially('lab', { delay: 100 })
    await page.keyboard.press('Tab')
    await page.waitForTimeout(300)
    expect(await list.inputValue()).toBe('Label folder')
    expect(await page.evaluate(() => window.caught)).toEqual([])
    expect(await list.evaluate((element) => document.activeElement === element)).toBe(false)
  })

  it('picks an option of a list by its first letters, and causes an input event and a change event', async () => {
    await open('sheets')
    const list = page.getByRole('combobox')
    await list.focus()
    await page.evaluate(() => {
      document.body.dataset['heard'] = ''
      for (const type of ['input', 'change'])
        document.addEventListener(type, () => {
          const { heard = '' } = document.body.dataset
          document.body.dataset['heard'] = `${heard}${type} `
        })
    })
    await list.pressSequentially('la', { delay: 120 })
    await page.waitForTimeout(300)
    expect(await list.inputValue()).toBe('Label folder')
    await page.waitForTimeout(1_200)
    await list.pressSequentially('Z', { delay: 120 })
    await page.waitForTimeout(300)
    expect(await list.inputValue()).toBe('Zebra ZD421')
    expect(await page.locator('body').getAttribute('data-heard')).toBe('input change input change ')
  })

  it.each(['[name=method] >> nth=1', '[data-spot=method]', '[data-spot=city]'])(
    'submits a form once by pressing Enter while %s has the focus, unless the field uses the Enter',
    async (focused) => {
      await open('form-shipment')
      await page.locator(focused).focus()
      const submissions = await submissionsOf(() => page.keyboard.press('Enter', { delay: 90 }))
      expect(submissions).toBe(focused.includes('spot=method') ? 0 : 1)
      const spot = await page.evaluate(() => document.activeElement?.getAttribute('data-spot'))
      if (focused.includes('spot=method')) expect(spot).toBe('addressed_to')
    },
  )

  it('causes one change event for each changed text, by pressing Enter or by leaving the field', async () => {
    await open('form-shipment')
    const field = page.locator('[data-spot=city]')
    await field.fill('Aa')
    await page.locator('[data-spot=addressed_to]').focus()
    await page.evaluate(() => {
      const changes: string[] = []
      document.addEventListener('change', ({ target }) => {
        if (target instanceof HTMLInputElement) changes.push(target.value)
        document.body.dataset['changes'] = changes.join(' ')
      })
    })
    await field.focus()
    await page.keyboard.press('End')
    const enter = (): Promise<number> => submissionsOf(() => page.keyboard.press('Enter', byHand))
    await enter()
    await field.pressSequentially('b', { delay: 150 })
    await enter()
    await enter()
    await page.keyboard.press('Tab')
    await field.focus()
    await page.keyboard.press('End')
    await field.pressSequentially('c', { delay: 150 })
    await enter()
    await page.keyboard.press('Backspace')
    await page.waitForTimeout(150)
    await page.keyboard.press('Tab')
    await page.waitForTimeout(150)
    expect(await page.locator('body').getAttribute('data-changes')).toBe('Aab Aabc Aab')
  })

  it.each([
    ['<input type=radio><input>', 0],
    ['<input type=checkbox>', 0],
    ['<input type=radio><button disabled>1</button><button>2</button>', 1],
    ['<input><button disabled>1</button><button>2</button>', 0],
    ['<input>', 1],
    ['<input><input>', 0],
  ])('submits a form of %s by pressing Enter in its first input this many times: %i', async (html, times) => {
    await open('home-first')
    await page.evaluate((content) => {
      const form = document.createElement('form')
      const parsed = new DOMParser().parseFromString(content, 'text/html')
      form.append(...parsed.body.children)
      document.body.append(form)
      form.querySelector('input')?.focus()
    }, html)
    expect(await submissionsOf(() => page.keyboard.press('Enter', byHand))).toBe(times)
  })

  it.each(['Space', 'Enter'])('opens a list with %s', async (key) => {
    await open('sheets')
    const list = page.getByRole('combobox')
    await list.focus()
    expect(await submissionsOf(() => page.keyboard.press(key, { delay: 90 }))).toBe(0)
    await expect.poll(() => list.evaluate((element) => element.matches(':open'))).toBe(true)
  })

  it('submits a form by pressing Enter if the keys arrive late and another key or a click follows 150 ms later', async () => {
    for (const next of ['keyDown', 'mousePressed']) {
      await open('form-shipment')
      await page.locator('[data-spot=city]').focus()
      const submissions = await submissionsOf(async () => {
        const cdp = await page.context().newCDPSession(page)
        const timestamp = Date.now() / 1000 - 0.25
        const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 }
        await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp, ...enter, text: '\r' })
        await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp: timestamp + 0.1, ...enter })
        const later = { timestamp: timestamp + 0.15 }
        if (next === 'keyDown')
          await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...later, key: 'x', text: 'x' })
        else
          await cdp.send('Input.dispatchMouseEvent', {
            type: 'mousePressed',
            ...later,
            x: 5,
            y: 5,
            button: 'left',
            clickCount: 1,
          })
      })
      expect([next, submissions]).toEqual([next, 1])
    }
  })

  it('types several spaces by holding the key down', async () => {
    await open('home-first')
    const field = page.getByRole('textbox')
    await field.focus()
    for (let i = 0; i < 4; i++) {
      await page.keyboard.down('Space')
      await page.waitForTimeout(120)
    }
    await page.keyboard.up('Space')
    expect(await field.inputValue()).toBe('    ')
  })

  it('logs in at the sandbox with one press of Enter', async () => {
    await open('login-sandbox')
    await page.keyboard.press('Enter', byHand)
    await page.locator('html[data-screen=stage]').waitFor()
  })

  it('looks up a code that is typed and followed by Enter', async () => {
    await open('home-first')
    await page.getByRole('textbox').pressSequentially('WEB-100412', { delay: 60 })
    await page.keyboard.press('Enter', byHand)
    await shown()
  })

  it('looks up a code of two digits that is typed fast and followed by Enter', async () => {
    await open('home-first')
    await page.getByRole('textbox').focus()
    // the keys have the pace of a very fast typist
    await scan(page, '12', { pauseMs: 500, gapMs: 25, terminator: 'none' })
    await page.keyboard.press('Enter', byHand)
    await page.locator('[data-unknown="12"]').waitFor()
  })

  it('selects an unknown code by a click into its field, and the next scan then works as usual', async () => {
    await open('unknown')
    const field = page.getByRole('textbox')
    expect(await field.inputValue()).toBe('8719327004429')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(false)
    await field.click()
    await expect
      .poll(() => field.evaluate((element: HTMLInputElement) => element.selectionEnd))
      .toBe('8719327004429'.length)
    expect(await field.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(0)
    await scan(page, shipment)
    await shown()
  })

  it('makes the label of the shown shipment by pressing Enter if no element has the focus', async () => {
    await open('shipment')
    await page.keyboard.press('Enter', byHand)
    await page.locator('[data-phase=working]').waitFor()
  })

  it('cannot answer a question by pressing Enter', async () => {
    await open('label-decide')
    await page.keyboard.press('Enter', byHand)
    await page.keyboard.press('F1')
    await page.locator('main[data-card=help]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('main[data-card=home]').waitFor()
    await scan(page, shipment)
    await page.locator('[data-phase=decide]').waitFor()
  })
})
