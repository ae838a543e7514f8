-- Counts in a balanced tree: n log n.
module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

next :: Int -> Int
next x = (x * 1103515245 + 12345) `mod` 2147483648

main :: IO ()
main = do
  [n] <- getArgs
  let keys = take (read n) (iterate next 1)
      counts = Map.fromListWith (+) [(k `div` 1024, 1 :: Int) | k <- keys]
  print (Map.size counts, maximum (Map.elems counts))
