//! Undirected weighted graphs: personalised PageRank and communities.
//!
//! PageRank by a fixed number of power iterations (Page et al., 1999; Haveliwala, 2002);
//! communities by the Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre, 2008). Both visit
//! nodes in order, so they are deterministic.

use std::collections::BTreeMap;

/// Most passes over all nodes per level of communities, and most levels.
const PASSES_MAX: usize = 8;
const LEVELS_MAX: usize = 6;

/// Neighbours of each node with weights, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    neighbours: Vec<Vec<(usize, f32)>>,
    /// Weight of each node's edges; a self-loop counts twice.
    degrees: Vec<f32>,
}

impl Graph {
    /// A graph of this many nodes; weights of repeated edges add up, edges to unknown nodes are
    /// dropped.
    pub(crate) fn of(nodes: usize, edges: impl IntoIterator<Item = (usize, usize, f32)>) -> Self {
        let known = |(a, b, weight): &(usize, usize, f32)| *a.max(b) < nodes && *weight > 0.0;
        let edges = edges.into_iter().filter(known);
        let mut both: Vec<_> = edges.flat_map(|(a, b, w)| [(a, b, w), (b, a, w)]).collect();
        // a stable sort, so that weights are added in input order
        both.sort_by_key(|(a, b, _)| (*a, *b));
        let mut neighbours: Vec<Vec<(usize, f32)>> = vec![Vec::new(); nodes];
        let mut degrees = vec![0.0; nodes];
        for (from, to, weight) in both {
            degrees[from] += weight;
            match neighbours[from].last_mut() {
                Some((last, sum)) if *last == to => *sum += weight,
                _ => neighbours[from].push((to, weight)),
            }
        }
        Self {
            neighbours,
            degrees,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.degrees.len()
    }

    /// Stationary distribution of a walk that follows edges by weight, and restarts at a seed with
    /// probability `1 - damping`.
    ///
    /// Seeds are weighted nodes; a walk without an outgoing edge restarts too.
    pub(crate) fn pagerank(
        &self,
        seeds: &[(usize, f32)],
        damping: f32,
        iterations: usize,
    ) -> Vec<f32> {
        let mut restart = vec![0.0_f32; self.len()];
        let total: f32 = seeds.iter().map(|(_, weight)| weight).sum();
        for (node, weight) in seeds {
            if let Some(restart) = restart.get_mut(*node) {
                *restart += weight / total.max(f32::MIN_POSITIVE);
            }
        }
        let mut ranks = restart.clone();
        for _ in 0..iterations {
            let nodes = ranks.iter().zip(&self.degrees);
            let stuck: f32 = nodes
                .clone()
                .map(|(r, d)| if *d > 0.0 { 0.0 } else { *r })
                .sum();
            let given = nodes.map(|(r, d)| if *d > 0.0 { r / d } else { 0.0 });
            let given: Vec<f32> = given.collect();
            for (node, rank) in ranks.iter_mut().enumerate() {
                let edges = self.neighbours[node].iter();
                let got: f32 = edges.map(|(from, weight)| given[*from] * weight).sum();
                *rank = damping * got + (1.0 - damping + damping * stuck) * restart[node];
            }
        }
        ranks
    }

    /// The community of each node, numbered from 0 in the order of first nodes.
    pub(crate) fn communities(&self) -> Vec<usize> {
        let mut of_node: Vec<usize> = (0..self.len()).collect();
        let mut level = self.clone();
        for _ in 0..LEVELS_MAX {
            let moved = level.moved();
            let many = moved.iter().max().map_or(0, |most| most + 1);
            of_node.iter_mut().for_each(|it| *it = moved[*it]);
            if many == level.len() {
                break;
            }
            level = level.joined(&moved, many);
        }
        of_node
    }

    /// Moves single nodes to maximise modularity until none moves; communities are numbered from 0
    /// in the order of first nodes.
    fn moved(&self) -> Vec<usize> {
        let mut of_node: Vec<usize> = (0..self.len()).collect();
        let mut totals = self.degrees.clone();
        let whole = self.degrees.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for _ in 0..PASSES_MAX {
            let mut any = false;
            for node in 0..self.len() {
                let old = of_node[node];
                let degree = self.degrees[node];
                let mut towards: BTreeMap<usize, f32> = BTreeMap::from([(old, 0.0)]);
                for (to, weight) in self.neighbours[node].iter().filter(|it| it.0 != node) {
                    *towards.entry(of_node[*to]).or_default() += weight;
                }
                totals[old] -= degree;
                let gain =
                    |community: usize| towards[&community] - degree * totals[community] / whole;
                // a node moves only for a real gain, and to the first of equal communities
                let mut best = old;
                for community in towards.keys().copied() {
                    if gain(community) > gain(best) + 1e-6 * degree {
                        best = community;
                    }
                }
                totals[best] += degree;
                of_node[node] = best;
                any |= best != old;
            }
            if !any {
                break;
            }
        }
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let number = |community: &usize| {
            let next = numbers.len();
            *numbers.entry(*community).or_insert(next)
        };
        of_node.iter().map(number).collect()
    }

    /// The graph of communities: every edge counts half from each of its ends.
    fn joined(&self, of_node: &[usize], many: usize) -> Self {
        let edges = self
            .neighbours
            .iter()
            .zip(of_node)
            .flat_map(|(edges, from)| {
                let halves = edges
                    .iter()
                    .map(|(to, weight)| (of_node[*to], weight / 2.0));
                halves.map(|(to, half)| (*from, to, half))
            });
        Self::of(many, edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_add_up_and_have_two_ends() {
        let graph = Graph::of(3, [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 1.0), (1, 9, 1.0)]);
        assert_eq!(graph.neighbours[0], [(1, 3.0)]);
        assert_eq!(graph.neighbours[1], [(0, 3.0), (1, 2.0)]);
        assert_eq!(graph.neighbours[2], []);
        assert_eq!(graph.degrees, [3.0, 5.0, 0.0]);
    }

    #[test]
    fn pagerank_of_a_path_is_that_of_the_equations() {
        // a - b - c, seeded at a, damping 1/2: a = 1/2 + b/4, b = (a + c)/2, c = b/4
        // so b = (1/2 + b/2)/2 = 1/3, a = 7/12, c = 1/12
        let graph = Graph::of(3, [(0, 1, 1.0), (1, 2, 1.0)]);
        let ranks = graph.pagerank(&[(0, 5.0)], 0.5, 50);
        for (rank, by_hand) in ranks.iter().zip([7.0 / 12.0, 4.0 / 12.0, 1.0 / 12.0]) {
            assert!((rank - by_hand).abs() < 1e-5, "{ranks:?}");
        }
    }

    #[test]
    fn a_walk_that_is_stuck_starts_again() {
        let graph = Graph::of(3, [(0, 1, 1.0)]);
        let ranks = graph.pagerank(&[(2, 1.0), (0, 1.0)], 0.5, 60);
        assert!((ranks.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{ranks:?}");
        assert!(ranks[2] > ranks[1]);
        assert_eq!(graph.pagerank(&[], 0.5, 3), [0.0; 3]);
    }

    #[test]
    fn two_triangles_are_two_communities() {
        // joined by one edge: 7 edges; as two, modularity is 6/7 - 1/2; as one, 0
        let triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
        let graph = Graph::of(7, triangles.map(|(a, b)| (a, b, 1.0)));
        assert_eq!(graph.communities(), [0, 0, 0, 1, 1, 1, 2]);
        // a bridge of weight 12 holds its ends together: modularity 12/18 - (26^2 + 2 * 5^2)/36^2
        let heavy = triangles.map(|(a, b)| (a, b, if (a, b) == (2, 3) { 12.0 } else { 1.0 }));
        let found = Graph::of(6, heavy).communities();
        assert_eq!(found[2], found[3], "{found:?}");
        assert_ne!(found[0], found[5], "{found:?}");
    }
}
