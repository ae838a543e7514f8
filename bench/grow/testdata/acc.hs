-- Adds to the end of a list, which walks it each time.
module Main (main) where

import Data.List (foldl')
import System.Environment (getArgs)

evens :: Int -> [Int]
evens n = foldl' add [] [1 .. n] -- GROWS
  where
    add acc x
      | even x = let next = acc ++ [x] in length next `seq` next -- GROWS
      | otherwise = acc
{-# NOINLINE evens #-}

main :: IO ()
main = do
  [n] <- getArgs
  print (sum (evens (read n)))
