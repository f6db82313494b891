//! Work in parallel, results in order.

use rayon::prelude::*;

/// Reads inputs one after another, processes several at a time on the current thread pool, and
/// hands the outputs over in the order of the inputs, so that the result does not depend on the
/// number of threads. Reading and consuming overlap with processing; buffers are reused.
///
/// If something fails, the error is that of the earliest input.
pub fn process_in_order<I, O, E>(
    mut read: impl FnMut(&mut I) -> Result<bool, E> + Send,
    process: impl Fn(&I, &mut O) -> Result<(), E> + Sync,
    mut consume: impl FnMut(&mut O) -> Result<(), E> + Send,
) -> Result<(), E>
where
    I: Default + Send + Sync,
    O: Default + Send,
    E: Send,
{
    let threads = rayon::current_num_threads();
    let width = if threads == 1 { 1 } else { 2 * threads };
    let mut working: Vec<(I, O)> = Vec::new();
    let mut waiting: Vec<(I, O)> = Vec::new();
    working.resize_with(width, Default::default);
    waiting.resize_with(width, Default::default);
    let mut working_count = 0;
    let mut waiting_count = 0;
    let mut read_outcome = Ok(());
    loop {
        // `waiting` holds finished outputs (waiting_count of them); they are consumed and their
        // inputs refilled while `working` is processed.
        let (processed, consumed) = rayon::join(
            || {
                let slots = working[..working_count].par_iter_mut();
                slots
                    .map(|(input, output)| process(input, output))
                    .collect::<Vec<_>>()
            },
            || -> Result<usize, E> {
                for (_, output) in &mut waiting[..waiting_count] {
                    consume(output)?;
                }
                let mut filled = 0;
                while read_outcome.is_ok() && filled < width {
                    match read(&mut waiting[filled].0) {
                        Ok(true) => filled += 1,
                        Ok(false) => break,
                        Err(error) => read_outcome = Err(error),
                    }
                }
                Ok(filled)
            },
        );
        let filled = consumed?;
        processed.into_iter().collect::<Result<Vec<()>, E>>()?;
        if working_count == 0 && filled == 0 {
            return read_outcome;
        }
        std::mem::swap(&mut working, &mut waiting);
        waiting_count = working_count;
        working_count = filled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: usize, count: usize, bad: Option<usize>) -> Result<Vec<usize>, String> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let (mut next, mut out) = (0, Vec::new());
            process_in_order(
                |input: &mut usize| {
                    *input = next;
                    next += 1;
                    Ok(*input < count)
                },
                |input, output| {
                    *output = input * input;
                    if Some(*input) == bad {
                        Err(format!("at {input}"))
                    } else {
                        Ok(())
                    }
                },
                |output| {
                    out.push(*output);
                    Ok(())
                },
            )?;
            Ok(out)
        })
    }

    #[test]
    fn order_is_kept_for_any_number_of_threads() {
        for threads in [1, 2, 5] {
            for count in [0, 1, 2, 7, 100] {
                let expected: Vec<usize> = (0..count).map(|i| i * i).collect();
                assert_eq!(run(threads, count, None).unwrap(), expected);
            }
            assert_eq!(run(threads, 100, Some(37)).unwrap_err(), "at 37");
        }
    }
}
