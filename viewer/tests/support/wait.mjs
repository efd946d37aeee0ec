// Waiting for something to become true, by asking again and again. A loaded machine is slow, not wrong: the deadline is
// long, and nothing waits for a fixed time.
const DEADLINE_MS = 1000 * Number(process.env.PLIANT_DEADLINE || 150);
const ASK_EVERY_MS = 60;

/// Resolves to the first value of `check` that is true; the error says what was waited for and what was seen last.
export async function until(what, check, describe = async () => '') {
  const deadline = Date.now() + DEADLINE_MS;
  let failure = '';
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
      failure = '';
    } catch (error) {
      failure = String(error.message ?? error);
    }
    if (Date.now() > deadline) {
      const seen = await Promise.resolve(describe()).catch(() => '');
      throw new Error(`not within ${DEADLINE_MS / 1000} s: ${what}${seen ? `; seen: ${seen}` : ''}${failure ? `; ${failure}` : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

export function claim(truth, sentence) {
  if (!truth) throw new Error(sentence);
}
