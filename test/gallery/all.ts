import { languageCodes } from '#shared/domain/languages.ts'
import { scenarios } from './scenarios.ts'

/** Adds a line for each scenario (a screen in a state), in the order of the pictures, with a link for each language. */
const list = document.getElementById('all')
for (const { name } of scenarios) {
  const line = document.createElement('li')
  const links = languageCodes.map((language) => {
    const link = document.createElement('a')
    link.href = `./?${new URLSearchParams({ scenario: name, language }).toString()}`
    link.textContent = language
    return link
  })
  line.append(...links.flatMap((link) => [link, ' ']), name)
  list?.append(line)
}
