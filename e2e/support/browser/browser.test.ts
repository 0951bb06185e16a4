import { expect, it } from 'vitest'
import { openBrowser } from './browser.ts'

it('starts a browser that runs a page and takes screenshots', async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent('<button onclick="this.textContent = 6 * 7">compute</button>')
    await page.getByRole('button').click()
    expect(await page.getByRole('button').textContent()).toBe('42')
    expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG')
  } finally {
    await browser.close()
  }
})
