//! Small networks over the vectors of a question and of statements, trained with
//! all-MiniLM-L6-v2. They project the vectors, compare the projections, and read a few values
//! beside them.

use super::query::Query;
use crate::session::Session;
use crate::text::WrongWeights;
use crate::vectors::dot;

/// The encoder whose vectors the networks were trained on, and their dimension.
pub(super) const ENCODER: &str = "all-MiniLM-L6-v2";
pub(super) const DIMENSION: usize = 384;
/// Size of a projected vector, and of the hidden layer.
pub(super) const PROJECTED: usize = 24;
const HIDDEN: usize = 16;
/// What a weight of one is in the files.
const UNIT: f32 = 10_000.0;

/// Whether the networks can read the vectors of a session, and the question.
pub(super) fn reads(session: &Session, query: &Query) -> bool {
    let stamp = session.encoder();
    stamp.name == ENCODER && stamp.dimension == DIMENSION && query.language.is_english()
}

/// The chance for log-odds.
pub(super) fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// A network of one shape; networks differ in what they compare, and in the values beside that.
#[derive(Debug)]
pub(super) struct Network {
    /// Projections of the question and of a statement.
    pub(super) asked: Layer,
    pub(super) told: Layer,
    hidden: Layer,
    output: Layer,
    beside: Layer,
}

impl Network {
    /// A network of this program, which reads so many values beside four projections.
    ///
    /// # Panics
    /// If the weights are of another shape, which a test of each network finds.
    pub(super) fn shipped(weights: &str, beside: usize) -> Self {
        let sizes = [
            (PROJECTED, DIMENSION),
            (PROJECTED, DIMENSION),
            (HIDDEN, 4 * PROJECTED + beside),
            (1, HIDDEN),
            (1, beside),
        ];
        match layers(weights, sizes) {
            Ok([asked, told, hidden, output, beside]) => Self {
                asked,
                told,
                hidden,
                output,
                beside,
            },
            Err(wrong) => panic!("{wrong}"),
        }
    }

    /// The log-odds for four compared projections, one behind the other, and the values beside.
    pub(super) fn odds(&self, compared: impl Iterator<Item = f32>, beside: &[f32]) -> f32 {
        let inputs: Vec<f32> = compared.chain(beside.iter().copied()).collect();
        let mut hidden = self.hidden.of(&inputs);
        hidden.iter_mut().for_each(|it| *it = it.max(0.0));
        self.output.of(&hidden)[0] + self.beside.of(beside)[0]
    }
}

/// A layer: rows of weights, each with its bias.
#[derive(Debug)]
pub(super) struct Layer(Vec<(Vec<f32>, f32)>);

impl Layer {
    /// What the layer makes of its inputs, as many as it has columns.
    pub(super) fn of(&self, inputs: &[f32]) -> Vec<f32> {
        let row = |(weights, bias): &(Vec<f32>, f32)| dot(weights, inputs) + bias;
        self.0.iter().map(row).collect()
    }
}

/// Reads layers of so many rows and columns: a line for each row, whole numbers, the bias last.
///
/// # Errors
/// [`WrongWeights`] if the lines are others.
fn layers<const N: usize>(
    text: &str,
    sizes: [(usize, usize); N],
) -> Result<[Layer; N], WrongWeights> {
    let mut lines = text.lines();
    let layer = |(rows, columns): (usize, usize)| {
        let rows = (0..rows).map(|_| row(lines.next(), columns));
        rows.collect::<Result<_, _>>().map(Layer)
    };
    let read: Vec<Layer> = sizes.into_iter().map(layer).collect::<Result<_, _>>()?;
    match (lines.next(), read.try_into()) {
        (None, Ok(layers)) => Ok(layers),
        _ => Err(WrongWeights("there is a line too many".to_owned())),
    }
}

fn row(line: Option<&str>, columns: usize) -> Result<(Vec<f32>, f32), WrongWeights> {
    let line = line.ok_or_else(|| WrongWeights("a line is missing".to_owned()))?;
    let numbers = line.split(' ').map(str::parse::<i32>);
    let numbers = numbers.map(|number| number.map(|number| number as f32 / UNIT));
    let numbers: Option<Vec<f32>> = numbers.collect::<Result<_, _>>().ok();
    let numbers = numbers.filter(|numbers| numbers.len() == columns + 1);
    let split = numbers.and_then(|mut weights| {
        let bias = weights.pop()?;
        Some((weights, bias))
    });
    split.ok_or_else(|| WrongWeights(format!("a line is not {} whole numbers", columns + 1)))
}

#[cfg(test)]
mod tests {
    use super::layers;

    #[test]
    fn a_layer_is_its_rows() {
        let [first, last] = layers(
            "10000 20000 5000\n0 -10000 0\n10000 10000 0",
            [(2, 2), (1, 2)],
        )
        .expect("two layers");
        assert_eq!(first.of(&[1.0, 2.0]), [5.5, -2.0]);
        assert_eq!(last.of(&[1.0, 2.0]), [3.0]);
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        let refused = |text: &str| layers(text, [(2, 2)]).expect_err("wrong weights").0;
        assert_eq!(refused("1 2"), "a line is not 3 whole numbers");
        assert_eq!(refused("1 2 x"), "a line is not 3 whole numbers");
        assert_eq!(refused("1 2 3"), "a line is missing");
        assert_eq!(refused("1 2 3\n1 2 3\n1"), "there is a line too many");
    }
}
